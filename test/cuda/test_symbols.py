"""Each function that NVIDIA's libraries export is there under its name in what a program on simulated GPUs loads.

Arguments: the tool, and the directory of a virtual environment with test/cuda/requirements.txt, which may be absent.
"""

import json
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "doc"))
from cuda_functions import exported  # noqa: E402  (in the folder of the page)

TOOL, VENV = sys.argv[1], Path(sys.argv[2])
NAMES = ("cudart", "cublas", "cublasLt", "cufft", "cusparse", "cusparseLt", "cusolver", "curand", "nccl", "cupti",
         "cufile")  # fmt: skip

# Of each library, the names that it lacks.
LOOK = """
import ctypes, json, sys
wanted = json.load(open(sys.argv[1]))
lacking = {}
for soname, names in wanted.items():
    library = ctypes.CDLL(soname)
    lacking[soname] = [name for name in names if not hasattr(library, name)]
json.dump(lacking, sys.stdout)
"""


def is_of_the_library(name):
    """The interfaces are C's: a mangled name is of the library's inside."""
    return not name.startswith("_Z")


def main():
    python = VENV / "bin" / "python"
    if not python.exists():
        print(f"skipped: {VENV} is not there; ./run nightly cuda makes it")
        return 77
    found = {path.name: sorted(filter(is_of_the_library, set(exported(path)))) for name in NAMES
             for path in VENV.glob(f"lib/python3*/site-packages/nvidia/*/lib/lib{name}.so.*")}  # fmt: skip
    wanted = Path("symbols.json").resolve()
    wanted.write_text(json.dumps(found))
    command = [TOOL, "run", "--gpu", "h100", "--", python, "-c", LOOK, wanted]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, check=True)
    lacking = json.loads(done.stdout)
    for soname, names in lacking.items():
        print(f"{soname}: {len(found[soname])} functions, {len(names)} are not there: {' '.join(names[:10])}")
    return 0 if found and not any(lacking.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
