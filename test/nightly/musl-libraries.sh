#!/usr/bin/env bash
# The libraries that libmemmodel links, compiled with musl from Debian's sources, which apt fetches with settings of its
# own, and the kernel's headers beside theirs. usage: musl-libraries.sh FOLDER    (nothing is done where it is there)
set -euo pipefail
prefix=$(realpath -m "$1")
[ ! -d "$prefix" ] || exit 0

# shellcheck source=test/nightly/debian-source.sh
source "$(dirname "$(realpath "$0")")/debian-source.sh"

with_configure() {
    unpack "$1"
    (
        cd "$1"
        ./configure CC=musl-gcc CFLAGS="-O2 -I$work$prefix/include" --prefix="$prefix" --disable-shared
        make -j 2
        make DESTDIR="$work" install
    )
}

with_cmake() {
    unpack "$1"
    cmake -S "$1" -B "$1/build" -DCMAKE_C_COMPILER=musl-gcc -DCMAKE_INSTALL_PREFIX="$prefix" \
        -DCMAKE_INSTALL_LIBDIR=lib -DCMAKE_POLICY_VERSION_MINIMUM=3.5 "${@:2}"
    cmake --build "$1/build"
    DESTDIR=$PWD cmake --install "$1/build"
}

work=$prefix.sources
rm -rf "$work"
mkdir -p "$work"
cd "$work"

# the kernel's headers, which musl has none of
mkdir -p ".$prefix/include"
ln -s /usr/include/linux /usr/include/asm-generic "/usr/include/$(gcc -print-multiarch)/asm" ".$prefix/include/"

fetch jansson libffi cmocka
with_cmake jansson -DJANSSON_BUILD_DOCS=OFF -DJANSSON_WITHOUT_TESTS=ON -DJANSSON_EXAMPLES=OFF
with_configure libffi
with_cmake cmocka -DBUILD_SHARED_LIBS=OFF -DWITH_EXAMPLES=OFF
mv "$work$prefix" "$prefix"
rm -rf "$work"
