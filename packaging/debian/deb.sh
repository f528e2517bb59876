#!/usr/bin/env bash
# Debian packages of this checkout: the same bytes whenever and wherever they are made of the same commit.
# usage: deb.sh VERSION [FOLDER [DESTINATION]]    (built in FOLDER, build/deb unless given; DESTINATION: build/packages)
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
version=$1
folder=$(realpath -m "${2:-build/deb}")
destination=${3:-build/packages}
source=$folder/libmemmodel-$version

# The files of the checkout as they are now, with debian/ where Debian's tools look for it; not what only tests read, for
# packages are built without them.
copy_source() {
    rm -rf "$folder"
    mkdir -p "$source"
    git ls-files -z --cached --others --exclude-standard -- . ':!test/data' ':!test/abi/clients' | xargs -0 cp --parents -P -t "$source"
    cp -r packaging/debian "$source/debian"
    rm "$source/debian/deb.sh"
}

# It has the time of the last commit, and so have all files of the packages.
write_changelog() {
    cat >"$source/debian/changelog" <<END
libmemmodel ($version) unstable; urgency=medium

  * What changed is in NEWS.md.

 -- $(sed -n 's/^Maintainer: //p' packaging/debian/control)  $(git log -1 --format=%cD)
END
}

copy_source
write_changelog
# With Debian's own programs, whatever else there is in PATH.
(cd "$source" && PATH=/usr/sbin:/usr/bin:/sbin:/bin dpkg-buildpackage --no-sign --build=full) >"$folder/build.log" 2>&1 ||
    { tail -n 30 "$folder/build.log" >&2 && exit 1; }
mkdir -p "$destination"
rm -f "$destination"/*.deb "$destination"/libmemmodel_*
cp "$folder"/*.deb "$folder"/libmemmodel_* "$destination/"
