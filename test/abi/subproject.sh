#!/usr/bin/env bash
# A program that keeps this tree in its subprojects/ folder builds it there, links it and runs: nothing but the library
# is built, once as an archive and once as a shared library.
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
"$@" setup --force-fallback-for=libmemmodel -Ddefault_library=static build >setup.log || { cat setup.log && exit 1; }

"$@" introspect build --targets >targets.json
python3 - <<'END'
import json

targets = json.load(open("targets.json"))
others = [target["name"] for target in targets if "subprojects/libmemmodel/lib/" not in target["defined_in"]]
assert len(targets) > 1 and others == ["program"], f"besides the library there are {others}"
END

# works static|shared: builds the program and runs it
works() {
    ninja -C build program >build.log || { cat build.log && exit 1; }
    [ "$(build/program)" = works ]
    case $1-$(ldd build/program) in
        static-*libmemmodel*) echo 'the archive was asked for, and the shared library is linked' && exit 1 ;;
        static-* | shared-*libmemmodel*) ;;
        *) echo 'the shared library was asked for, and is not linked' && exit 1 ;;
    esac
}

works static
"$@" configure -Ddefault_library=shared -Dlibmemmodel:default_library=shared build >setup.log || { cat setup.log && exit 1; }
works shared
