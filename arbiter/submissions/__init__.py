"""Programs that authors hand in: stored by the web server, examined in processes of their own, listed for people."""
