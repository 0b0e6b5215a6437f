"""Run tournaments: results, programs, places to play, decisions and audits.  Prints nothing, and exits nothing."""
