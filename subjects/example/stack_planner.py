"""An external planner over CSV files: puts its buffers one above the other, above those whose offset is fixed. See
docs/HOWTO.md, "Try your planner". With --fault=hang, crash, raise, nothing, rubbish, misses, overlaps, infeasible,
not_found, timeout it does something else, to show what is made of that. Not for: placing well."""
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

fixed = [row for row in rows if row.get("offset")]
top = max([int(row["offset"]) + int(row["size"]) for row in fixed], default=0)
offsets = []
for row in rows:
    if row in fixed:
        offsets.append((row["id"], row["offset"]))
        continue
    alignment = max(int(row.get("alignment") or 1), 1)
    top = -(-top // alignment) * alignment
    offsets.append((row["id"], 0 if options.fault == "overlaps" else top))
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
