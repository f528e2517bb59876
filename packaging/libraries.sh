#!/usr/bin/env bash
# Libraries that libmemmodel links, compiled by another compiler from Debian's sources, which apt fetches with settings of its
# own: static, and fit for a shared library. Nothing is done where they are.
# usage: [CC=COMPILER] [MACHINE=PROCESSOR] libraries.sh FOLDER NAME...    (cmocka, jansson, libffi, zlib)
set -euo pipefail
prefix=$(realpath -m "$1")
shift
[ ! -d "$prefix" ] || exit 0
export CC=${CC:-cc}
machine=${MACHINE:-$(uname -m)}

# shellcheck source=test/nightly/debian-source.sh
source "$(dirname "$(realpath "$0")")/../test/nightly/debian-source.sh"

# with_configure NAME OPTION...
with_configure() (
    cd "$1"
    CFLAGS="-O2 -fPIC -I$work$prefix/include" ./configure --prefix="$prefix" "${@:2}"
    make -j 2
    make DESTDIR="$work" install
)

# with_cmake NAME OPTION...
with_cmake() {
    cmake -S "$1" -B "$1/build" -DCMAKE_SYSTEM_NAME=Linux -DCMAKE_SYSTEM_PROCESSOR="$machine" \
        -DCMAKE_C_COMPILER="${CC%% *}" -DCMAKE_C_FLAGS="-O2 -I$work$prefix/include" -DCMAKE_INSTALL_PREFIX="$prefix" \
        -DCMAKE_INSTALL_LIBDIR=lib -DCMAKE_POSITION_INDEPENDENT_CODE=ON -DCMAKE_POLICY_VERSION_MINIMUM=3.5 \
        -DBUILD_SHARED_LIBS=OFF "${@:2}"
    cmake --build "$1/build"
    DESTDIR=$work cmake --install "$1/build"
}

build_cmocka() { with_cmake cmocka -DWITH_EXAMPLES=OFF; }
build_jansson() { with_cmake jansson -DJANSSON_BUILD_DOCS=OFF -DJANSSON_WITHOUT_TESTS=ON -DJANSSON_EXAMPLES=OFF; }
build_libffi() { with_configure libffi --disable-shared; }
build_zlib() { CHOST=$machine-linux with_configure zlib --static; }

work=$prefix.sources
rm -rf "$work"
mkdir -p "$work"
cd "$work"

# the kernel's headers, where the compiler has none of its own
mkdir -p ".$prefix/include"
if ! printf '#include <linux/limits.h>\n' | $CC -fsyntax-only -x c - 2>/dev/null; then
    ln -s /usr/include/linux /usr/include/asm-generic "/usr/include/$(gcc -print-multiarch)/asm" ".$prefix/include/"
fi

fetch "$@"
for name in "$@"; do
    unpack "$name"
    "build_$name"
done
mv "$work$prefix" "$prefix"
rm -rf "$work"
