#!/usr/bin/env bash
# The README's two commands on a Debian that has nothing but its base system and apt. Only root can make one.
# usage: fresh.sh RELEASE...    (12, 13; the last line is that of the last release's tests)
#
# What is kept in build/fresh, so that the next time starts sooner: the base system, the packages and wheels fetched.
# What the machine says about mirrors, proxies, certificates and pip's indexes holds in the new Debian, too.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
folder=$PWD/build/fresh

die() {
    printf 'fresh: %s\n' "$*" >&2
    exit 1
}

suite_of() {
    case $1 in
        12 | bookworm) echo bookworm ;;
        13 | trixie) echo trixie ;;
        *) die "no such release: $1. There are: 12 (bookworm) and 13 (trixie)" ;;
    esac
}

# The mirror that apt of this machine uses, where it is a Debian.
# shellcheck disable=SC2016 # it is apt's own notation
mirror() { apt-get indextargets --format '$(LABEL) $(REPO_URI)' 'Created-By: Packages' | sed -n 's/^Debian //p' | head -n 1; }

# make_base SUITE: build/fresh/SUITE.base
make_base() {
    local base=$folder/$1.base
    [ -d "$base" ] && return
    rm -rf "$base.part"
    mkdir -p "$folder/$1.bootstrap"
    # shellcheck disable=SC2046 # no mirror, no argument: then it is debootstrap's own
    debootstrap --variant=minbase --cache-dir="$folder/$1.bootstrap" "$1" "$base.part" $(mirror) >"$folder/$1.log" 2>&1 ||
        { tail -n 20 "$folder/$1.log" >&2 && die "debootstrap failed (log: $folder/$1.log)"; }
    mv "$base.part" "$base"
}

# How this machine reaches others: apt's proxies, pip's files, certificates of its own, which ca-certificates picks up.
copy_settings() {
    local root=$1 file
    apt-config dump | grep -E '^Acquire::(https?|Check-|Retries)' >"$root/etc/apt/apt.conf.d/80machine" || true
    for file in /etc/pip.conf "$HOME/.config/pip/pip.conf" "$HOME/.pip/pip.conf" /usr/local/share/ca-certificates/*.crt; do
        [ -f "$file" ] || continue
        mkdir -p "$root$(dirname "$file")"
        cp "$file" "$root$file"
    done
}

# Folders with packages that pip is told to look into. An index, .../simple, has its files beside it.
pip_folders() {
    python3 -m pip config list 2>/dev/null | grep -oE "(file://)?/[^' ]+" | sed 's,^file://,,; s,/simple/*$,,' | sort -u |
        while read -r path; do [ ! -d "$path" ] || echo "$path"; done
}

# mount_all ROOT SUITE: in the namespace, with which all of it goes
mount_all() {
    local root=$1 path
    mount -t proc proc "$root/proc"
    mount -t sysfs -o ro sysfs "$root/sys"
    mount --rbind /dev "$root/dev"
    mkdir -p "$folder/$2.archives/partial" "$folder/$2.pip" "$root/root/.cache/pip"
    mount --bind "$folder/$2.archives" "$root/var/cache/apt/archives"
    mount --bind "$folder/$2.pip" "$root/root/.cache/pip"
    for path in $(pip_folders); do
        mkdir -p "$root$path"
        mount --bind -o ro "$path" "$root$path"
    done
}

# The README's own words: its lines "$ ./run ..." before the first heading.
commands() { sed -n '/^## /q; s/^\$ \(\.\/run .*\)$/\1/p' "$1"; }

# inside SUITE ROOT: called in the namespace
inside() {
    local root=$2 setting environment=(HOME=/root TERM=dumb PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin)
    mount_all "$root" "$1"
    while read -r setting; do environment+=("$setting"); done < <(env | grep -iE '^(pip_|https?_proxy|no_proxy)')
    while read -r setting; do
        printf '\n$ %s\n' "$setting"
        env -i "${environment[@]}" chroot "$root" /bin/bash -c "cd /usr/src/libmemmodel && $setting" </dev/null
    done < <(commands "$root/usr/src/libmemmodel/README.md")
}

# fresh SUITE: a new copy of the base, the committed tree in it, and in a namespace of its own what the README says
fresh() {
    local root=$folder/$1
    mkdir -p "$folder"
    exec 9>"$folder/$1.lock"
    flock --nonblock 9 || die "another ./run fresh is at work in $root"
    [ "$(commands README.md | wc -l)" = 2 ] || die 'the first screen of README.md has not two commands'
    make_base "$1"
    rm -rf "$root"
    cp --archive --reflink=auto "$folder/$1.base" "$root"
    cp /etc/resolv.conf /etc/hosts "$root/etc/"
    copy_settings "$root"
    git clone --quiet --no-hardlinks "$PWD" "$root/usr/src/libmemmodel"
    unshare --mount --pid --fork --kill-child "${BASH_SOURCE[0]}" --inside "$1" "$root"
    rm -rf "$root"
}

if [ "${1:-}" = --inside ]; then
    inside "$2" "$3"
    exit
fi
[ "$(id -u)" -eq 0 ] || die 'only root can make a Debian in a folder'
for release in "$@"; do suite_of "$release" >/dev/null; done
for release in "$@"; do fresh "$(suite_of "$release")"; done
