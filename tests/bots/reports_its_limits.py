"""Writes its limits, environment, session and open files to stderr, and exits."""

import json
import os
import resource
import sys

LIMITS = {"core": resource.RLIMIT_CORE, "files": resource.RLIMIT_NOFILE}

report = {name: resource.getrlimit(limit)[0] for name, limit in LIMITS.items()}
report |= {
    "written": resource.getrlimit(resource.RLIMIT_FSIZE)[0],
    "environment": dict(os.environ),
    "folder": os.getcwd(),
    "leads": os.getsid(0) == os.getpid() == os.getpgid(0),
    "open": sorted(int(fd) for fd in os.listdir("/proc/self/fd") if os.path.exists(f"/proc/self/fd/{fd}")),
}
json.dump(report, sys.stderr)
