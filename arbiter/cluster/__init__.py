"""The same tournament on many processes and machines, with Dask distributed."""
