"""The commands, one file each; no command imports another."""
