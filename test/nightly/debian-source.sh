# shellcheck shell=bash
# Sources of Debian, which apt fetches with settings of its own. Sourced.

# fetch NAME...: their sources into this folder
fetch() {
    local options=(-o "Dir::Etc::SourceList=$PWD/sources.list" -o Dir::Etc::SourceParts=/dev/null
        -o "Dir::State::Lists=$PWD/lists" -o APT::Sandbox::User=root) mirror
    # shellcheck disable=SC2016 # it is apt's own notation
    mirror=$(apt-get indextargets --format '$(LABEL) $(REPO_URI)' 'Created-By: Packages' | sed -n 's/^Debian //p' | head -n 1)
    mkdir -p lists/partial
    # shellcheck source=/dev/null
    printf 'deb-src [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] %s %s main\n' \
        "$mirror" "$(. /etc/os-release && echo "$VERSION_CODENAME")" >sources.list
    apt-get "${options[@]}" update
    apt-get "${options[@]}" source --download-only "$@"
}

# unpack NAME: into a folder of that name
unpack() {
    mkdir "$1"
    tar --extract --file "$(find . -maxdepth 1 -name "$1_*.orig.tar.*" -not -name "*.asc")" --directory "$1" --strip-components 1
}
