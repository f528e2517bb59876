#!/usr/bin/env bash
# groff finds nothing to warn of in the manual pages.
# usage: manual.sh FOLDER
set -euo pipefail

command -v groff >/dev/null || { echo 'skipped: groff is missing' && exit 77; }
cd "$1"
pages=(*.3)
# -wall: all warnings; the page itself goes nowhere.
said=$(for page in "${pages[@]}"; do groff -man -Tutf8 -w all -z "$page" 2>&1; done)
printf '%s\n%d pages\n' "$said" "${#pages[@]}"
[ -z "$said" ]
