#!/usr/bin/env python3
"""A first-fit allocator over JSON lines, the worked example of `--subject cmd:TEMPLATE` (see docs/HOWTO.md).

With --overlap it hands out, now and then, memory that is in use; with --crash or --hang it does that instead."""
import json
import sys

capacity, blocks, count = 0, {}, 0  # id -> (offset, size)


def place(size, align):
    begin = 0
    for offset, length in sorted(blocks.values()) + [(capacity, 0)]:
        begin = -(-begin // align) * align
        if begin + size <= offset:
            return begin
        begin = offset + length
    return None


def alloc(ask):
    global count
    count += 1
    size, align = max(ask["size"], 1), ask.get("align", 1)
    if count % 7 == 0 and "--crash" in sys.argv:
        sys.exit("as was asked for")
    while count % 7 == 0 and "--hang" in sys.argv:
        pass
    offset = place(size, align)
    if count % 7 == 0 and "--overlap" in sys.argv and blocks and min(blocks.values())[0] + size <= capacity:
        offset = min(blocks.values())[0]
    if offset is None:
        return {"ok": 0}
    blocks[ask["id"]] = (offset, size)
    return {"ok": 1, "off": offset, "reserved": size}


for line in sys.stdin:
    ask, answer = json.loads(line), {"ok": 1}
    if ask["op"] == "hello":
        answer = {"ok": 1, "name": "first_fit", "version": "1", "can": ["align", "stats"],
                  "promises": {"alignment": "json_lines.py, place(): offsets are rounded up"}}
    elif ask["op"] == "reset":
        capacity, blocks, count = ask["capacity"], {}, 0
    elif ask["op"] == "alloc":
        answer = alloc(ask)
    elif ask["op"] == "free":
        del blocks[ask["id"]]
    elif ask["op"] == "stats":
        answer["num_live"] = len(blocks)
    print(json.dumps(answer), flush=True)
