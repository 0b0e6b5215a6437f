"""The rules of every game: pure, seeded, without processes, files or clocks."""
