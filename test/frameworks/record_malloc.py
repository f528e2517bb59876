"""Records what the C library's malloc holds of the system after each of some random calls.

usage: record_malloc.py OUTPUT

Files called aligned_... are of posix_memalign(64) instead, which is how PyTorch allocates.

Needs glibc 2.33 or newer and a C compiler. A line is "a NUMBER BYTES = RESERVED" or "f NUMBER = RESERVED"; reserved is
mallinfo2()'s arena + hblkhd. The calls come from a fresh process whose heap holds nothing but malloc's own.
"""

import pathlib
import random
import subprocess
import sys
import tempfile

ACTIONS = 1000

PROGRAM = r"""
#define _POSIX_C_SOURCE 200809L
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>

static char input[1 << 16], output[1 << 16];
static void *blocks[4096];

int main(int arguments, char **words)
{
    char kind;
    int number;
    long bytes;

    (void)words;
    free(malloc(1500));
    setvbuf(stdin, input, _IOFBF, sizeof input);
    setvbuf(stdout, output, _IOFBF, sizeof output);
    while (scanf(" %c %d", &kind, &number) == 2) {
        if (kind == 'f')
            free(blocks[number]);
        else if (scanf("%ld", &bytes) == 1 && arguments == 1)
            blocks[number] = malloc((size_t)bytes);
        else if (posix_memalign(&blocks[number], 64, (size_t)bytes))
            return 1;
        struct mallinfo2 info = mallinfo2();
        printf("%zu\n", info.arena + info.hblkhd);
    }
    return 0;
}
"""

SIZES = {
    "small": lambda chance: int(2 ** chance.uniform(3, 13)),
    "any": lambda chance: int(2 ** chance.uniform(3, 24)),
    "few_sizes": lambda chance: chance.choice([40_000, 150_000, 150_001, 600_000, 3_000_000, 3_000_000, 12_000_000]),
}


def actions(seed, size):
    chance, live, script, number = random.Random(seed), [], [], 0
    while len(script) < ACTIONS:
        if chance.random() < 0.55 or not live:
            script.append(f"a {number} {size(chance)}")
            live.append(number)
            number += 1
        else:
            script.append(f"f {live.pop(chance.randrange(len(live)))}")
    return script


def record(program, script, *words):
    text = "\n".join(script) + "\n"
    result = subprocess.run([program, *words], input=text, capture_output=True, text=True, check=True)
    return "".join(f"{line} = {held}\n" for line, held in zip(script, result.stdout.split(), strict=True))


def main(output):
    with tempfile.TemporaryDirectory() as folder:
        source, program = pathlib.Path(folder) / "calls.c", pathlib.Path(folder) / "calls"
        source.write_text(PROGRAM)
        subprocess.run(["cc", "-O1", "-fno-builtin", source, "-o", program], check=True)
        for seed, (name, size) in enumerate(SIZES.items()):
            script = actions(seed, size)
            (output / f"{name}.txt").write_text(record(program, script))
            (output / f"aligned_{name}.txt").write_text(record(program, script, "aligned"))


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]))
