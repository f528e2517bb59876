"""Runs programs that were compiled against earlier versions, unchanged, with today's library.

usage: client.py LIBRARY

test/abi/clients/VERSION/ holds the program and its source. Exits with 77 on machines that they were not made for.
"""

import os
import pathlib
import platform
import subprocess
import sys

CLIENTS = pathlib.Path(__file__).parent / "clients"
SKIPPED = 77


def run(program, library):
    environment = {**os.environ, "LD_LIBRARY_PATH": str(library.parent), "LD_BIND_NOW": "1"}
    result = subprocess.run([program], env=environment, check=False, capture_output=True, text=True)
    print(f"{program.parent.name}: {result.returncode} {(result.stdout + result.stderr).strip()}")
    return result.returncode == 0 and result.stdout == "works\n"


def main(library):
    machine = f"{platform.system()} {platform.machine()} {platform.libc_ver()[0]}"
    if machine != "Linux x86_64 glibc":
        print(f"made for Linux on x86_64 with glibc, and this is {machine}")
        return SKIPPED
    programs = sorted(CLIENTS.glob("*/client-x86_64"))
    results = [run(program, library.resolve()) for program in programs]
    return 0 if results and all(results) else 1


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1])))
