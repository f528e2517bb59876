"""Records what the C library's malloc holds of the system after each of some random calls.

usage: record_malloc.py OUTPUT

Needs glibc 2.33 or newer and a C compiler. A line is "a NUMBER BYTES = RESERVED" or "f NUMBER = RESERVED"; reserved is
mallinfo2()'s arena + hblkhd. The calls come from a fresh process that has not allocated before.
"""

import pathlib
import random
import subprocess
import sys
import tempfile

ACTIONS = 1000

PROGRAM = r"""
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>

static char input[1 << 16], output[1 << 16];
static void *blocks[4096];

int main(void)
{
    char kind;
    int number;
    long bytes;

    setvbuf(stdin, input, _IOFBF, sizeof input);
    setvbuf(stdout, output, _IOFBF, sizeof output);
    while (scanf(" %c %d", &kind, &number) == 2) {
        if (kind == 'f')
            free(blocks[number]);
        else if (scanf("%ld", &bytes) == 1)
            blocks[number] = malloc((size_t)bytes);
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


def main(output):
    with tempfile.TemporaryDirectory() as folder:
        source, program = pathlib.Path(folder) / "calls.c", pathlib.Path(folder) / "calls"
        source.write_text(PROGRAM)
        subprocess.run(["cc", "-O1", "-fno-builtin", source, "-o", program], check=True)
        for seed, (name, size) in enumerate(SIZES.items()):
            script = actions(seed, size)
            text = "\n".join(script) + "\n"
            result = subprocess.run([program], input=text, capture_output=True, text=True, check=True)
            lines = zip(script, result.stdout.split(), strict=True)
            (output / f"{name}.txt").write_text("".join(f"{line} = {bytes_}\n" for line, bytes_ in lines))


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]))
