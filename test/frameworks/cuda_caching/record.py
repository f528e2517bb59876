"""Records what PyTorch's own CUDA caching allocator does, on a machine without a GPU.

usage: record.py TORCH CUDA OUTPUT

TORCH: folder with lib/libc10.so, lib/libc10_cuda.so and include/ of an unpacked CUDA wheel of PyTorch 2.13.
CUDA: folder with the headers of CUDA 13 (the wheels nvidia-cuda-runtime and nvidia-cuda-crt have them).

libc10_cuda.so is run over a CUDA runtime that only hands out addresses (driver.c). A recording is a text file: the
settings, the capacity, then one line per action and, behind "=", the counters after it as run.cpp prints them.
"""

import os
import pathlib
import random
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).parent
MIB = 1 << 20

RECORDINGS = {
    "defaults": ("", 0),
    "full": ("", 120_000_000),
    "split_20": ("max_split_size_mb:20", 300_000_000),
    "split_32_rounding_40": ("max_split_size_mb:32,max_non_split_rounding_mb:40", 120_000_000),
    "divisions_4": ("roundup_power2_divisions:4", 0),
    "divisions_by_interval": ("roundup_power2_divisions:[1:2,4:8,>:16]", 0),
    "large_segment_40": ("large_segment_size_mb:40", 0),
    "expandable": ("expandable_segments:True", 0),
    "expandable_full": ("expandable_segments:True", 120_000_000),
    "expandable_32_split_40": ("expandable_segments:True,large_segment_size_mb:32,max_split_size_mb:40", 300_000_000),
    "collection": ("garbage_collection_threshold:0.6,per_process_memory_fraction:0.5", 1_000_000_000),
    "collection_expandable": (
        "garbage_collection_threshold:0.5,per_process_memory_fraction:0.8,expandable_segments:True",
        300_000_000,
    ),
    "fraction_rejects_early": ("throw_on_cudamalloc_oom:True,per_process_memory_fraction:0.4", 400_000_000),
}

EDGES = [1, 511, 512, 513, 4096, MIB, MIB + 1, 2 * MIB, 9 * MIB, 10 * MIB - 1, 10 * MIB, 11 * MIB, 33 * MIB, 64 * MIB]


def actions(seed, count=240):
    """Allocations, releases, uses on other streams, completions and emptied caches."""
    chance, live, script, number = random.Random(seed), [], [], 0
    common = [chance.choice(EDGES) for _ in range(8)]
    while len(script) < count:
        kind = chance.random()
        if kind < 0.52 or not live:
            size = chance.choice(common) if chance.random() < 0.7 else int(2 ** chance.uniform(0, 27)) + 1
            script.append(f"a {number} {size} {chance.randrange(3) if chance.random() < 0.3 else 0}")
            live.append(number)
            number += 1
        elif kind < 0.9:
            block = live.pop(chance.randrange(len(live)))
            if chance.random() < 0.1:
                script.append(f"u {block} {chance.randrange(4)}")
            script.append(f"f {block}")
        elif kind < 0.97:
            script.append("s")
        else:
            script.append("e")
    return script


def build(torch, cuda, folder):
    """The program that runs a script; it finds its libraries by their absolute paths."""
    (folder / "map").write_text("libcudart.so.13 { global: *; };\n")
    driver, program = folder / "libcudart.so.13", folder / "run"
    sources = [HERE / "driver.c", HERE / "nothing.c"]
    subprocess.run(
        ["cc", "-O1", "-fPIC", "-shared", f"-I{cuda}", *sources, "-Wl,-soname,libcudart.so.13"]
        + [f"-Wl,--version-script={folder / 'map'}", "-o", driver],
        check=True,
    )
    (folder / "libnvidia-ml.so.1").symlink_to(driver)
    subprocess.run(
        ["c++", "-std=c++20", f"-I{torch / 'include'}", f"-I{cuda}", HERE / "run.cpp", "-o", program]
        + [driver, f"-L{torch / 'lib'}", "-lc10_cuda", "-lc10", f"-Wl,-rpath,{folder}:{torch / 'lib'}"],
        check=True,
    )
    return program


def run(program, script, settings, capacity):
    environment = dict(os.environ, PYTORCH_ALLOC_CONF=settings, LD_LIBRARY_PATH=str(program.parent))
    if capacity:
        environment["MEMMODEL_CAPACITY"] = str(capacity)
    result = subprocess.run(
        [program], input="\n".join(script) + "\n", capture_output=True, text=True, env=environment, check=True
    )
    return result.stdout.splitlines()


def record(program, script, settings, capacity):
    """What was refused is not released: those actions are left out until none is there."""
    while True:
        answers = run(program, script, settings, capacity)
        refused = {line.split()[1] for line, answer in zip(script, answers, strict=True) if answer == "oom"}
        kept = [line for line in script if line[0] not in "fu" or line.split()[1] not in refused]
        if kept == script:
            return [f"{line} = {answer}" for line, answer in zip(script, answers, strict=True)]
        script = kept


def main(torch, cuda, output):
    with tempfile.TemporaryDirectory() as folder:
        program = build(torch.resolve(), cuda.resolve(), pathlib.Path(folder))
        for seed, (name, (settings, capacity)) in enumerate(RECORDINGS.items()):
            lines = record(program, actions(seed), settings, capacity)
            head = [f"settings {settings or '-'}", f"capacity {capacity}"]
            (output / f"{name}.txt").write_text("\n".join(head + lines) + "\n")


if __name__ == "__main__":
    main(*(pathlib.Path(argument) for argument in sys.argv[1:4]))
