"""A tournament as a folder of pages that open without a server; knows no store, no schedule and no command line."""
