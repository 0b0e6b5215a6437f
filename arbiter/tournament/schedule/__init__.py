"""Who plays whom: pure functions of the configuration."""
