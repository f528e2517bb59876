#!/usr/bin/env bash
# On a Debian that has nothing but its base system and apt: the README's two commands, and before that its first commands
# after an installation, of the wheel and of the Debian packages in build/packages. Only root can make one.
# usage: fresh.sh RELEASE...    (12, 13; the last line is that of the last release's tests)
#        fresh.sh --packages RELEASE...    (the installations alone)
#        fresh.sh --image RELEASE...       (the steps of the Kubernetes example's Dockerfile alone; they begin with Debian 12)
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

# within ROOT COMMAND: in the new Debian, with its own environment
within() {
    local setting environment=(HOME=/root TERM=dumb PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin)
    while read -r setting; do environment+=("$setting"); done < <(env | grep -iE '^(pip_|https?_proxy|no_proxy)')
    env -i "${environment[@]}" chroot "$1" /bin/bash -c "$2" </dev/null
}

# inside SUITE ROOT: called in the namespace
inside() {
    local command
    mount_all "$2" "$1"
    if [ -d "$2/var/packages" ]; then
        within "$2" 'bash /var/packages/installed.sh'
        return
    fi
    if [ -d "$2/var/image" ]; then
        python3 -B test/fresh/image.py "$PWD" "$2"
        return
    fi
    while read -r command; do
        printf '\n$ %s\n' "$command"
        within "$2" "cd /usr/src/libmemmodel && $command"
    done < <(commands "$2/usr/src/libmemmodel/README.md")
}

# new_root SUITE: a new copy of the base in build/fresh/SUITE
new_root() {
    rm -rf "${folder:?}/$1"
    cp --archive --reflink=auto "$folder/$1.base" "$folder/$1"
    cp /etc/resolv.conf /etc/hosts "$folder/$1/etc/"
    copy_settings "$folder/$1"
}

# in_namespace SUITE: what is in its folder does what it is there for, and goes
in_namespace() {
    unshare --mount --pid --fork --kill-child "${BASH_SOURCE[0]}" --inside "$1" "$folder/$1"
    rm -rf "${folder:?}/$1"
}

# begin SUITE: nobody else is at work with it, and there is a base
begin() {
    mkdir -p "$folder"
    exec 9>"$folder/$1.lock"
    flock --nonblock 9 || die "another ./run fresh is at work in $folder/$1"
    make_base "$1"
}

# installed SUITE: the packages that ./run package made, and nothing of the tree but README.md
installed() {
    begin "$1"
    new_root "$1"
    mkdir "$folder/$1/var/packages"
    cp build/packages/*"_$(uname -m).whl" build/packages/*.deb README.md test/fresh/installed.sh "$folder/$1/var/packages/"
    in_namespace "$1"
}

# image SUITE: what docker build and docker run do with the Kubernetes example
image() {
    [ "$1" = bookworm ] || return 0
    begin "$1"
    new_root "$1"
    mkdir "$folder/$1/var/image"
    in_namespace "$1"
}

# fresh SUITE: the committed tree, and what the README says
fresh() {
    [ "$(commands README.md | wc -l)" = 2 ] || die 'the first screen of README.md has not two commands'
    begin "$1"
    new_root "$1"
    git clone --quiet --no-hardlinks "$PWD" "$folder/$1/usr/src/libmemmodel"
    in_namespace "$1"
}

if [ "${1:-}" = --inside ]; then
    inside "$2" "$3"
    exit
fi
[ "$(id -u)" -eq 0 ] || die 'only root can make a Debian in a folder'
parts=(installed image fresh)
case ${1:-} in
    --packages) parts=(installed image) && shift ;;
    --image) parts=(image) && shift ;;
esac
for release in "$@"; do suite_of "$release" >/dev/null; done
for release in "$@"; do
    for part in "${parts[@]}"; do "$part" "$(suite_of "$release")"; done
done
