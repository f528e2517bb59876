"""Installs the package for Python from a build, with what tells other programs about it: its version and plugins.

usage: python.py BUILT PYPROJECT VERSION DESTINATION
"""

import pathlib
import shutil
import sys

import tomllib


def copy_modules(built, package):
    for path in sorted(built.rglob("*")):
        if path.suffix == ".py" or path.name == "py.typed":
            place = package / path.relative_to(built)
            place.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, place)


def write_metadata(project, version, folder):
    folder.mkdir(parents=True)
    metadata = {
        "Metadata-Version": "2.1",
        "Name": project["name"],
        "Version": version,
        "Summary": project["description"],
    }
    (folder / "METADATA").write_text("".join(f"{key}: {value}\n" for key, value in metadata.items()), encoding="utf-8")
    with (folder / "entry_points.txt").open("w", encoding="utf-8") as points:
        for group, members in project["entry-points"].items():
            points.write(f"[{group}]\n" + "".join(f"{name} = {value}\n" for name, value in members.items()))


def main(built, pyproject, version, destination):
    project = tomllib.loads(pathlib.Path(pyproject).read_text(encoding="utf-8"))["project"]
    copy_modules(pathlib.Path(built), pathlib.Path(destination) / "memmodel")
    write_metadata(project, version, pathlib.Path(destination) / f"{project['name']}-{version}.dist-info")


if __name__ == "__main__":
    main(*sys.argv[1:])
