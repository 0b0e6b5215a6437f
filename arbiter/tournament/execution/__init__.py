"""Execution of single games: in this process, or by an executor on other machines."""
