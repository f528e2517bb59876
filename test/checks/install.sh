#!/usr/bin/env bash
# What is installed can be used: installs into an empty folder, then builds and runs a program by pkg-config alone, with
# each kind of library that the build installs.
# usage: install.sh BUILD_ROOT PREFIX VERSION
set -euo pipefail
build=$1
prefix=$2
version=$3

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
DESTDIR=$folder ninja -C "$build" install >"$folder/install.log" || { cat "$folder/install.log" && exit 1; }

python3 - "$build/meson-info/intro-install_plan.json" <<'END'
import json, sys

files = [(place, file) for part in json.load(open(sys.argv[1])).values() for place, file in part.items()]
untagged = [file["destination"] for place, file in files if not file.get("tag")]
sys.exit(f"installed without a tag: {untagged}" if untagged else 0)
END

pc=$(find "$folder" -name libmemmodel.pc)
PKG_CONFIG_PATH=$(dirname "$pc")
export PKG_CONFIG_PATH PKG_CONFIG_SYSROOT_DIR=$folder
LD_LIBRARY_PATH=$(dirname "$(dirname "$pc")")
export LD_LIBRARY_PATH
[ "$(pkg-config --modversion libmemmodel)" = "$version" ]
api=$(pkg-config --variable=api libmemmodel)
python3 -m json.tool "$folder${api#"$folder"}" >/dev/null
[ -n "$(find "$folder$prefix" -path '*/man3/memmodel_estimate.3*')" ]

cat >"$folder/program.c" <<'END'
#include <memmodel.h>
#include <stdio.h>
#include <string.h>

int
main(void)
{
    memmodel_context *context;

    if (memmodel_context_new(NULL, &context) || strcmp(memmodel_version(), MEMMODEL_VERSION))
        return 1;
    memmodel_context_unref(context);
    puts(memmodel_version());
    return 0;
}
END

client=$(dirname "${BASH_SOURCE[0]}")/../abi/clients/0.1/client.c

# runs_with FLAG...: in C and C++, linked so
runs_with() {
    local language compiler
    for language in 'gcc -x c -std=c11' 'g++ -x c++ -std=c++17'; do
        read -ra compiler <<<"$language"
        "${compiler[@]}" -Wall -Wextra -Werror -o "$folder/program" "$folder/program.c" -x none "$@"
        [ "$("$folder/program")" = "$version" ]
        "${compiler[@]}" -Wall -Wextra -Werror -o "$folder/client" "$client" -x none "$@" -lm
        [ "$("$folder/client")" = works ]
        printf 'runs: %s\n' "$language"
    done
}

archive=$(find "$folder" -name libmemmodel.a)
shared=$(find "$folder" -name libmemmodel.so)
if [ -n "$shared" ]; then
    read -ra flags <<<"$(pkg-config --cflags --libs libmemmodel)"
    runs_with "${flags[@]}"
fi
if [ -n "$archive" ]; then
    read -ra flags <<<"$(pkg-config --static --cflags --libs libmemmodel)"
    runs_with "${flags[@]/#-lmemmodel/-l:libmemmodel.a}"
    ! nm --extern-only --defined-only --format=posix "$archive" | grep ' [A-Z] ' | grep -v '^memmodel_' ||
        { echo 'these names of the archive could meet those of a program' && exit 1; }
    echo 'runs: static'
fi
[ -n "$archive$shared" ]
[ -x "$folder$prefix/bin/memmodel" ] && "$folder$prefix/bin/memmodel" --version
