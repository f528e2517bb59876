"""What tests of packages share: commands as in a shell of somebody who has only what was installed, and a checkout's
files."""

import os
import shutil
import subprocess

UNWANTED = ("PYTHONPATH", "MEMMODEL_LIBRARY", "LD_PRELOAD", "LD_LIBRARY_PATH", "LUA_PATH", "LUA_CPATH", "DESTDIR")


def clean_environment():
    return {name: value for name, value in os.environ.items() if name not in UNWANTED}


def run(*command, path=None, environment=None, **options):
    """Its exit status and what it printed. path: a folder that comes first in PATH; environment: variables besides."""
    variables = clean_environment() | (environment or {})
    if path is not None:
        variables["PATH"] = f"{path}:{variables['PATH']}"
    words = [str(word) for word in command]
    done = subprocess.run(words, env=variables, capture_output=True, text=True, check=False, **options)
    return done.returncode, done.stdout + done.stderr


def copy_checkout(root, folder, *paths):
    """The files of the checkout as they are now; paths: as git takes them, all unless given."""
    listed = ["git", "-C", root, "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", *paths]
    names = subprocess.run(listed, stdout=subprocess.PIPE, check=True).stdout.decode().split("\0")[:-1]
    for name in names:
        if (root / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(root / name, folder / name)
