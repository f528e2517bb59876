#!/usr/bin/env bash
# jansson as WebAssembly, from Debian's sources. usage: jansson.sh FOLDER    (nothing is done where it is there)
set -euo pipefail
prefix=$(realpath -m "$1")
[ ! -d "$prefix" ] || exit 0
# shellcheck source=test/nightly/debian-source.sh
source "$(dirname "$(realpath "$0")")/../../test/nightly/debian-source.sh"

work=$prefix.sources
rm -rf "$work"
mkdir -p "$work"
cd "$work"
fetch jansson
unpack jansson
# a page has no /dev/urandom
emcmake cmake -S jansson -B build -DCMAKE_BUILD_TYPE=Release -DCMAKE_INSTALL_PREFIX="$prefix" -DCMAKE_INSTALL_LIBDIR=lib \
    -DCMAKE_POLICY_VERSION_MINIMUM=3.5 -DUSE_URANDOM=OFF -DJANSSON_BUILD_DOCS=OFF -DJANSSON_WITHOUT_TESTS=ON \
    -DJANSSON_EXAMPLES=OFF
cmake --build build
DESTDIR=$work/root cmake --install build
mv "$work/root$prefix" "$prefix"
rm -rf "$work"
