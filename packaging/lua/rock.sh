#!/bin/sh
# What luarocks calls: builds the library and its modules, and lays the modules of one Lua where luarocks takes them from. The
# library stays in the rock's own folder, PREFIX/library, where modules find it.
# usage: rock.sh build PREFIX | rock.sh install PREFIX LUA LUADIR LIBDIR
set -eu
folder=build/rock
prefix=$2

build() {
    rm -rf "$folder"
    meson setup "$folder" --prefix="$prefix" --libdir=library -Dbuildtype=release -Dtests=false -Dlibffi=enabled -Dlua=auto
    meson compile -C "$folder"
}

# install LUA LUADIR LIBDIR
install() {
    version=$("$1" -e 'print(_VERSION:match("%d.%d"))')
    meson install -C "$folder" --no-rebuild --quiet --tags lua,runtime
    if [ ! -d "$prefix/library/lua/$version" ] && ! "$1" -e 'require "ffi"' 2>/dev/null; then
        echo "no headers of Lua $version were found by pkg-config (Debian: liblua$version-dev)" >&2
        exit 1
    fi
    mkdir -p "$2" "$3"
    cp -r "$prefix/share/lua/$version/." "$2/"
    [ ! -d "$prefix/library/lua/$version" ] || cp -r "$prefix/library/lua/$version/." "$3/"
    rm -r "${prefix:?}/share" "${prefix:?}/bin" "${prefix:?}/library/lua"
}

action=$1
shift 2
"$action" "$@"
