"""Starting, isolating and ending the processes of bots."""
