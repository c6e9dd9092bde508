#!/usr/bin/env python3
"""Makes the samples of this folder smaller: of a log of `ncu --csv`, the lines before the table and
of the table the columns that say which launch it is, the metrics that a test needs, and averages
that show how decimals are written. Usage: reduce.py LOG [LAUNCHES] > SAMPLE; with LAUNCHES only so
many of the first IDs are kept.

The logs were made on an H200 with ncu 2025.3.1, of one training step (details: the forward pass) of
torchvision's networks at batch 1.
"""
import csv
import sys

KEPT = ("dram__bytes_read.avg", "launch__registers_per_thread", "device__attribute_display_name",
        "device__attribute_multiprocessor_count", "device__attribute_total_memory",
        "launch__shared_mem_per_block_static", "launch__shared_mem_per_block_dynamic")


def main():
    launches = int(sys.argv[2]) if len(sys.argv) > 2 else None
    lines = open(sys.argv[1], newline="").read().splitlines(keepends=True)
    first = next(i for i, line in enumerate(lines) if line.startswith('"ID",'))
    sys.stdout.write("".join(lines[:first]))
    rows = list(csv.reader(lines[first:]))
    header = rows[0]
    wanted = [i for i, name in enumerate(header)
              if "__" not in name or name in KEPT
              or (name.endswith(".sum") and not name.startswith("profiler__"))]
    for line, row in zip(lines[first:], rows):
        if launches is not None and row[0].isdigit() and int(row[0]) >= launches:
            continue
        if "Metric Name" in header:  # details: rows as they are, short ones too
            sys.stdout.write(line)
        else:
            print(",".join('"' + row[i].replace('"', '""') + '"' for i in wanted))


if __name__ == "__main__":
    main()
