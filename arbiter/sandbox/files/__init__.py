"""The files that a bot is shown: its own folder, its interpreter, and nothing that its folder asks for."""
