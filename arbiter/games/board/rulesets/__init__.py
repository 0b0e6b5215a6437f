"""One small file of differences a rule set."""
