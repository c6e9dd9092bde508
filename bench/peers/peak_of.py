#!/usr/bin/env python3
"""Runs the program $PEERS_PROGRAM with these arguments, and writes its peak memory in bytes to $PEERS_PEAK.

A process that is forked counts its parent's memory until it becomes the program; this parent is small.
"""

import os
import pathlib
import resource
import subprocess
import sys

status = subprocess.run([os.environ["PEERS_PROGRAM"], *sys.argv[1:]]).returncode
peak, path = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024, pathlib.Path(os.environ["PEERS_PEAK"])
path.write_text(str(max(peak, int(path.read_text()) if path.exists() else 0)))
sys.exit(status)
