"""The same tournament on many processes and machines, with Dask distributed.

As a preload module of Dask, `--preload arbiter.cluster`, it closes a port that nobody asked for.
"""

from typing import Any


def dask_setup(server: Any) -> None:  # noqa: ANN401 - a scheduler or a worker of Dask
    """Close the web server that Dask starts in each scheduler and worker, even without a dashboard."""
    server.http_server.stop()
    server.services.pop("dashboard", None)
