#!/usr/bin/env bash
# Every public header compiles alone, as C11, C++11 and C++17, with each compiler that is here: whatever MEMMODEL_API is for,
# and in C++ every struct that begins with its size takes `struct memmodel_job job{}; job.size = sizeof job;`.
# usage: headers.sh SOURCE_ROOT FOLDER    (of C files, one a header)
set -uo pipefail
folder=$(realpath "$2")
cd "$1" || exit 1

failed=0
checked=0

# check COMPILER LANGUAGE STANDARD [OPTION...]
check() {
    local file compiler=$1 language=$2 standard=$3
    shift 3
    command -v "$compiler" >/dev/null || return 0
    for file in "$folder"/*.c; do
        checked=$((checked + 1))
        "$compiler" -x "$language" "-std=$standard" -Iinclude -fsyntax-only -Wall -Wextra -Wpedantic -Wshadow -Wconversion \
            -Werror "$@" "$file" || {
            printf '%s does not compile with %s as %s %s\n' "$file" "$compiler" "$standard" "$*"
            failed=1
        }
    done
}

check gcc c c11
check gcc c c11 -DMEMMODEL_STATIC
check gcc c c11 -DMEMMODEL_BUILDING
check clang c c11
for standard in c++11 c++17; do
    check g++ c++ "$standard"
    check clang++ c++ "$standard"
done
printf '%d headers compiled\n' "$checked"
[ "$failed" = 0 ] && [ "$checked" -gt 0 ]
