"""Points, standings, tie-breaks and crosstable: pure functions of stored games."""
