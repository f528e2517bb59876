"""Writes small memory snapshots as torch.cuda.memory._dump_snapshot() does, with each protocol that Python has had.

usage: snapshots.py OUTPUT
"""

import pathlib
import pickle
import sys

MIB = 1 << 20
BASE = 0x7F0000000000
FRAME = {"filename": "train.py", "line": 7, "name": "forward"}


def entry(action, offset, size, stream=0):
    return {
        "action": action,
        "addr": BASE + offset,
        "size": size,
        "stream": stream,
        "time_us": 1,
        "compile_context": "N/A",
        "segment_pool_id": (0, 0),
        "frames": [FRAME],
    }


def block(offset, size, requested, state):
    return {"address": BASE + offset, "size": size, "requested_size": requested, "state": state, "frames": []}


# Before the history: 5 MiB at 0 (there at the end) and 3 MiB at 5 MiB (released in it). History: 2 MiB, used on another
# stream when it is released, so that the next 2 MiB cannot have its place.
SNAPSHOT = {
    "segments": [
        {
            "device": 0,
            "address": BASE,
            "total_size": 20 * MIB,
            "allocated_size": 7 * MIB,
            "active_size": 7 * MIB,
            "requested_size": 7 * MIB - 12,
            "stream": 0,
            "segment_type": "large",
            "segment_pool_id": (0, 0),
            "is_expandable": False,
            "frames": [],
            "blocks": [
                block(0, 5 * MIB, 5 * MIB - 12, "active_allocated"),
                block(5 * MIB, 5 * MIB, 0, "inactive"),
                block(10 * MIB, 2 * MIB, 2 * MIB, "active_allocated"),
                block(12 * MIB, 8 * MIB, 0, "inactive"),
            ],
        }
    ],
    "device_traces": [
        [
            entry("segment_alloc", 0, 20 * MIB),
            entry("alloc", 8 * MIB, 2 * MIB),
            entry("free_requested", 8 * MIB, 2 * MIB),
            entry("alloc", 10 * MIB, 2 * MIB),
            entry("free_completed", 8 * MIB, 2 * MIB),
            entry("free_requested", 5 * MIB, 3 * MIB),
            entry("free_completed", 5 * MIB, 3 * MIB),
            {"action": "snapshot", "addr": 0, "size": 7 * MIB, "stream": 0, "frames": []},
        ],
        [],
    ],
    "allocator_settings": {"PYTORCH_CUDA_ALLOC_CONF": "", "garbage_collection_threshold": 0.0, "max_split_size": -1},
    "external_annotations": [],
}


def main(output):
    for protocol in (2, 3, 4, 5):
        (output / f"protocol_{protocol}.pickle").write_bytes(pickle.dumps(SNAPSHOT, protocol))


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]))
