"""An external planner over CSV files: puts its buffers one above the other. Works with
oomph fuzz --family placement --subject 'cmd:python3 subjects/example/stack_planner.py --capacity={capacity} --input={in} --output={out}'
and shows what is made of a planner that does something else: --fault=hang, crash, raise, rubbish, overlaps, ...
Not for: fixed offsets, which it does not heed."""
import argparse
import csv
import os
import sys
import time

parser = argparse.ArgumentParser()
parser.add_argument("--capacity", type=int, required=True)
parser.add_argument("--input", required=True)
parser.add_argument("--output", required=True)
parser.add_argument("--fault", default="")
options = parser.parse_args()

with open(options.input, newline="") as file:
    rows = list(csv.DictReader(line for line in file if not line.startswith("#")))

if rows and options.fault == "hang":
    time.sleep(1000)
if rows and options.fault == "crash":
    os.abort()
if rows and options.fault == "raise":
    raise KeyError("no such column")
if rows and options.fault == "nothing":
    sys.exit(0)
for fault, word in ("infeasible", "INFEASIBLE"), ("not_found", "NOT_FOUND: gave up"), ("timeout", "DEADLINE_EXCEEDED"):
    if rows and options.fault == fault:
        sys.exit(word)

top = 0
offsets = []
for row in rows:
    alignment = max(int(row.get("alignment") or 1), 1)
    if options.fault != "overlaps":
        top = -(-top // alignment) * alignment
    offsets.append((row["id"], top))
    if options.fault != "overlaps":
        top += int(row["size"])
if top > options.capacity:
    sys.exit("NOT_FOUND: " + str(top) + " bytes")
if options.fault == "misses":
    offsets = offsets[:-1]
with open(options.output, "w", newline="") as file:
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(["id", "offset"])
    for identifier, offset in offsets:
        writer.writerow([identifier, -1 if options.fault == "rubbish" else offset])
