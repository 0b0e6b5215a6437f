"""The part that runs on the machines that play: the processes of Dask, and the games in them."""
