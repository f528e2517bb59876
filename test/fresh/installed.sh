#!/usr/bin/env bash
# In a bare Debian, as root: installs the wheel, then the Debian packages, and after each does what README.md says under Install.
# The wheel is the first, while nothing has brought libraries that it could lean on.
set -euo pipefail
packages=$(dirname "$(realpath "${BASH_SOURCE[0]}")")
export DEBIAN_FRONTEND=noninteractive

# first_commands FOLDER: the README's, each with its output, in a folder of their own
first_commands() {
    local line count=0
    mkdir "$1"
    cd "$1"
    memmodel --version
    while read -r line; do
        printf '\n$ %s\n' "$line"
        eval "$line" </dev/null
        count=$((count + 1))
    done < <(sed -n '/^## Install/,/^## Build/s/^\$ //p' "$packages/README.md")
    [ "$count" -ge 5 ]
    cd /
}

printf '\n== the wheel, in a bare venv\n'
apt-get update -q >/dev/null
apt-get install -q -y --no-install-recommends python3-venv >/dev/null
if dpkg --list libjansson4 2>/dev/null | grep -q ^ii; then echo 'jansson is here already' && exit 1; fi
python3 -m venv "$HOME/venv"
"$HOME/venv/bin/pip" install --quiet --no-index "$packages"/*.whl
(PATH=$HOME/venv/bin:$PATH && first_commands "$HOME/wheel")
rm -r "$HOME/venv"

printf '\n== the Debian packages\n'
apt-get install -q -y --no-install-recommends "$packages"/*.deb gcc libc6-dev pkg-config lua5.4 man-db >/dev/null
first_commands "$HOME/deb"
printf '%s\n' '#include <memmodel.h>' '#include <stdio.h>' 'int main(void) { return puts(memmodel_version()) < 0; }' >"$HOME/deb/first.c"
# shellcheck disable=SC2046 # words of its own
gcc "$HOME/deb/first.c" -o "$HOME/deb/first" $(pkg-config --cflags --libs libmemmodel)
"$HOME/deb/first"
lua5.4 -e 'local memmodel = require "memmodel" print(memmodel.version())'
[ -s /usr/share/bash-completion/completions/memmodel ]
apt-get purge -q -y memmodel python3-memmodel lua-memmodel libmemmodel-dev libmemmodel0 >/dev/null
if find / -xdev -path /proc -prune -o -path /root -prune -o -path "$packages" -prune -o -name '*memmodel*' -print | grep -v '/var/cache/apt\|/var/lib/dpkg'; then
    echo 'something was left behind' && exit 1
fi
printf '\ninstalled, used and removed\n'
