"""The screen of a game painted as styled text of any size, without a terminal."""
