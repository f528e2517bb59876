#!/usr/bin/env bash
# A program that keeps this tree in its subprojects/ folder builds it there, links it and runs.
# usage: subproject.sh SOURCE_ROOT MESON...
set -euo pipefail
root=$1
shift

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cp "$root/test/abi/subproject/meson.build" "$root/test/abi/clients/0.1/client.c" "$folder"
mkdir "$folder/subprojects"
ln -s "$root" "$folder/subprojects/libmemmodel"
cd "$folder"
"$@" setup --force-fallback-for=libmemmodel build >setup.log || { cat setup.log && exit 1; }
ninja -C build program >build.log || { cat build.log && exit 1; }
[ "$(build/program)" = works ]
