#!/usr/bin/env bash
# Wheels that run on every Linux with glibc 2.28 or newer (Debian 10, Ubuntu 18.10, RHEL 8): compiled by zig, which knows the
# symbols of each version of glibc, with jansson and zlib inside. They lie in build/packages.
# usage: wheel.sh x86_64 | aarch64 ...
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
glibc=2.28
bin=$PWD/build/venv/wheel/bin
export PATH=$bin:$PATH

# The compiler as one word, for meson, cmake and configure.
write_compiler() {
    printf '#!/bin/sh\nexec "%s" cc -target %s-linux-gnu.%s "$@"\n' "$bin/python-zig" "$1" "$glibc" >"$2/cc"
    chmod +x "$2/cc"
}

# write_machine PROCESSOR FOLDER: a machine of its own even where it is this one, so that nothing of this one is found
write_machine() {
    cat >"$2/machine.ini" <<END
[binaries]
c = '$2/cc'
ar = ['$bin/python-zig', 'ar']
strip = 'true' # the linker does it, for every processor
pkg-config = 'pkg-config'

[built-in options]
c_link_args = ['-s']

[properties]
pkg_config_libdir = ['$2/libraries/lib/pkgconfig']
needs_exe_wrapper = true

[host_machine]
system = 'linux'
cpu_family = '$1'
cpu = '$1'
endian = 'little'
END
}

# make_wheel PROCESSOR
make_wheel() {
    local folder=$PWD/build/wheel/$1 processor=$1
    mkdir -p "$folder"
    write_compiler "$processor" "$folder"
    write_machine "$processor" "$folder"
    CC=$folder/cc MACHINE=$processor packaging/libraries.sh "$folder/libraries" jansson zlib
    rm -rf "$folder/plain"
    _PYTHON_HOST_PLATFORM=linux-$processor "$bin/python" -m build --no-isolation --wheel --outdir "$folder/plain" \
        "-Csetup-args=--cross-file=$folder/machine.ini" "-Csetup-args=-Dzlib=enabled" "-Cbuild-dir=$folder/build" .
    "$bin/wheel" tags --remove --python-tag py3 --abi-tag none "$folder"/plain/*.whl
    "$bin/auditwheel" repair --plat auto --wheel-dir build/packages "$folder"/plain/*.whl
    "$bin/twine" check --strict build/packages/*"$processor.whl"
    if [ "$processor" = aarch64 ]; then packaging/wheel/aarch64-root.sh build/wheel/aarch64-root; fi # for its tests
}

mkdir -p build/packages
for processor in "$@"; do
    rm -f build/packages/*"_$processor.whl"
    make_wheel "$processor"
done
