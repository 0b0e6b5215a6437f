"""Programs that authors submit: stored by the web server, examined in processes of their own, listed for people."""
