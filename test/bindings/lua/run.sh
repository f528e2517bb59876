#!/bin/sh
# Runs a script in one Lua, in an empty folder; without that Lua, or its module, the test is skipped and says what is
# missing.
# MEMMODEL_SANITIZER: run-time of AddressSanitizer, if the library was built with it.
# usage: run.sh INTERPRETER MODULE SCRIPT [ARGUMENT...]   (absolute paths; MODULE: the C module, or - for LuaJIT)
interpreter=$1
module=$2
shift 2
if ! command -v "$interpreter" >/dev/null; then
    echo "skipped, missing: $interpreter"
    exit 77
fi
if [ "$module" != - ] && [ ! -e "$module" ]; then
    echo "skipped, missing: $module (it needs the headers of $interpreter, and libffi)"
    exit 77
fi
unset LUA_PATH_5_2 LUA_PATH_5_3 LUA_PATH_5_4 LUA_CPATH_5_2 LUA_CPATH_5_3 LUA_CPATH_5_4
folder=$(mktemp -d) && trap 'rm -rf "$folder"' EXIT && cd "$folder" &&
    LD_PRELOAD=${MEMMODEL_SANITIZER:-} "$interpreter" "$@"
