#!/usr/bin/env bash
# A folder with Debian's Python for 64-bit ARM, for qemu-aarch64 -L: its packages with all they depend on, unpacked. Nothing is
# done where it is there. usage: aarch64-root.sh FOLDER
set -euo pipefail
root=$(realpath -m "$1")
[ ! -d "$root" ] || exit 0
work=$root.packages
rm -rf "$work"
mkdir -p "$work/lists/partial" "$work/archives/partial" "$work/root"
touch "$work/status"

# shellcheck disable=SC2016 # it is apt's own notation
mirror=$(apt-get indextargets --format '$(LABEL) $(REPO_URI)' 'Created-By: Packages' | sed -n 's/^Debian //p' | head -n 1)
# shellcheck source=/dev/null
printf 'deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] %s %s main\n' \
    "$mirror" "$(. /etc/os-release && echo "$VERSION_CODENAME")" >"$work/sources.list"
options=(-o "Dir::Etc::SourceList=$work/sources.list" -o Dir::Etc::SourceParts=/dev/null -o "Dir::State::Lists=$work/lists"
    -o "Dir::State::status=$work/status" -o "Dir::Cache::Archives=$work/archives" -o Dir::Cache::pkgcache= -o Dir::Cache::srcpkgcache=
    -o APT::Architecture=arm64 -o APT::Architectures=arm64 -o APT::Sandbox::User=root)
apt-get "${options[@]}" update
apt-get "${options[@]}" install --download-only --yes --no-install-recommends python3
for package in "$work"/archives/*.deb; do dpkg-deb --extract "$package" "$work/root"; done
mv "$work/root" "$root"
rm -rf "$work"
