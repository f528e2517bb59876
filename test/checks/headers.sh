#!/usr/bin/env bash
# Every public header compiles alone, as C11 and as C++17, with each compiler that is here.
# usage: headers.sh SOURCE_ROOT
set -uo pipefail
cd "$1" || exit 1

failed=0
checked=0

# check COMPILER LANGUAGE STANDARD
check() {
    local file
    command -v "$1" >/dev/null || return 0
    for file in test/abi/headers/*.c; do
        checked=$((checked + 1))
        "$1" -x "$2" "-std=$3" -Iinclude -fsyntax-only -Wall -Wextra -Wpedantic -Wconversion -Werror "$file" || {
            printf '%s does not compile with %s as %s\n' "$file" "$1" "$3"
            failed=1
        }
    done
}

check gcc c c11
check clang c c11
check g++ c++ c++17
check clang++ c++ c++17
printf '%d headers compiled\n' "$checked"
[ "$failed" = 0 ] && [ "$checked" -gt 0 ]
