"""The results on disk: the SQLite database, its lock, and the files that show a running tournament."""
