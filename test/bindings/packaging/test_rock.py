"""The rock, built by luarocks in a copy of this checkout, into a tree of its own; skipped where luarocks is missing.

usage: test_rock.py ROOT
"""

import pathlib
import re
import shutil
import sys
import tempfile
import unittest

from stranger import copy_checkout, run

ROOT = pathlib.Path(sys.argv[1]).resolve()
LUA = "5.4"
SKIPPED = 77

# y = 1000 + 50 x: the points give the formula back.
FIRST_USE = """
local memmodel = require "memmodel"
local rows = {"x,y"}
for x = 1, 25 do rows[#rows + 1] = ("%d,%d"):format(x, 1000 + 50 * x) end
local file = assert(io.open(arg[1], "w"))
file:write(table.concat(rows, "\\n"), "\\n")
file:close()
local model = memmodel.fit(arg[1], {target = "y"})
assert(math.abs(model:predict({x = 100}) - 6000) < 1)
print(memmodel.version())
"""


class Rock(unittest.TestCase):
    def setUp(self):
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.folder = pathlib.Path(place.name)
        (self.spec,) = (ROOT / "packaging/lua").glob("*.rockspec")

    def test_the_spec_has_the_version_of_the_library(self):
        version = re.search(r"version: '([\d.]+)'", (ROOT / "meson.build").read_text(encoding="utf-8"))[1]
        self.assertEqual(self.spec.name, f"memmodel-{version}-1.rockspec")
        text = self.spec.read_text(encoding="utf-8")
        self.assertIn(f'version = "{version}-1"', text)
        self.assertIn(f'tag = "v{version}"', text)

    def test_a_script_finds_what_luarocks_has_built(self):
        source, tree = self.folder / "source", self.folder / "tree"
        copy_checkout(ROOT, source, ":!test/data")
        made = source / self.spec.relative_to(ROOT)
        status, output = run("luarocks", "--lua-version", LUA, "--tree", tree, "make", made, cwd=source)
        self.assertEqual(status, 0, output[-4000:])
        shutil.rmtree(source)
        paths = {"LUA_PATH": f"{tree}/share/lua/{LUA}/?.lua", "LUA_CPATH": f"{tree}/lib/lua/{LUA}/?.so"}
        script = self.folder / "first.lua"
        script.write_text(FIRST_USE, encoding="utf-8")
        status, output = run(f"lua{LUA}", script, self.folder / "table.csv", environment=paths)
        self.assertEqual(status, 0, output)
        self.assertIn(output.strip(), self.spec.name)


def main():
    missing = [name for name in ("luarocks", f"lua{LUA}", "git") if not shutil.which(name)]
    if missing or run("pkg-config", "--exists", f"lua{LUA}")[0]:
        print(f"skipped: it needs {', '.join(missing) or f'the headers of Lua {LUA}'}")
        return SKIPPED
    return not unittest.main(argv=[sys.argv[0], *sys.argv[2:]], exit=False).result.wasSuccessful()


if __name__ == "__main__":
    sys.exit(main())
