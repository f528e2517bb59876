# shellcheck shell=bash
# The slow half of the tests: one function suite_NAME a suite, each with its build. Sourced by ./run, whose words it uses.
# A suite that cannot run here says why in one line, through skipped(). .ci/rooms says which change asks for which.

# In this order, the quickest first.
NIGHTLY=(subproject packages docs web cuda torch-versions tsan sanitized fuzz m32 musl aarch64 mutants fresh)
# What .ci/run asks for besides: a part of packages, and of other machines without the longest cases (LONG in the lists of tests).
MORE_SUITES=(test packaging sanitized-unit m32-quick musl-quick aarch64-quick)

# skipped NAME WHY: counted as one skipped test
skipped() {
    mkdir -p build/nightly
    printf 'skipped: %s: %s\n0 passed, 0 failed, 1 skipped\n' "$1" "$2" | tee "build/nightly/$1.txt" | head -n 1
    results+=("build/nightly/$1.txt")
}

# counted NAME COMMAND...: a command that ends with a closing line of its own, or counts as one test
counted() {
    local name=$1 status=0 log=build/nightly/$1.txt
    shift
    mkdir -p build/nightly
    "$@" 2>&1 | tee "$log" || status=1
    results+=("$log")
    if ! tail -n 1 "$log" | grep -qE '^[0-9]+ passed, [0-9]+ failed'; then
        [ $status = 0 ] && echo '1 passed, 0 failed' >>"$log" || echo '0 passed, 1 failed' >>"$log"
    fi
}

command_nightly() {
    local suite
    if [ "${1:-}" = list ]; then
        printf '%s\n' "${NIGHTLY[@]}" "${MORE_SUITES[@]}"
        return
    fi
    [ $# -gt 0 ] || set -- "${NIGHTLY[@]}"
    for suite in "$@"; do
        [[ " ${NIGHTLY[*]} ${MORE_SUITES[*]} " == *" $suite "* ]] || die "no such suite: $suite. There are: ${NIGHTLY[*]} ${MORE_SUITES[*]}"
    done
    need_test
    install_missing
    for suite in "$@"; do
        heading "$suite"
        "suite_${suite//-/_}"
    done
    heading 'result'
    python3 test/checks/count.py "${results[@]}"
}

# ---- two tests of the usual build that compile the library again ----

suite_packaging() {
    (venvs_of packaging) || true
    test_in test packaging --suite packaging
}

# made KIND: the end of what it said where a package cannot be made
made() { "package_$1" >"build/package-$1.log" 2>&1 || { tail -n 30 "build/package-$1.log" && return 1; }; }

# All that is published: wheels for each processor, Debian packages, pip's wheel and source distribution, the rock, and what
# shells complete. Skipped where pip or apt cannot bring what builds it; else a package that cannot be made is a failure.
suite_packages() {
    need_lua 5.4
    need luarocks luarocks --version
    want_shells
    install_missing
    rm -rf build/packages
    if (need_wheel && install_missing && venv wheel packaging/wheel/requirements.txt); then
        counted package-wheel made wheel
    else
        skipped package-wheel 'pip or apt does not bring what builds wheels'
    fi
    if command -v apt-get >/dev/null && (need_deb && install_missing); then
        counted package-deb made deb
    else
        skipped package-deb 'this is no Debian, or apt does not bring what builds its packages'
    fi
    suite_packaging
    test_in test packages --suite packages
}

suite_subproject() { test_in test subproject --suite subproject; }

# The documentation as a site, without a warning.
suite_docs() {
    want_chromium
    install_missing
    (venv docs doc/site/requirements.txt) || true
    test_in test docs --suite docs
}

# The page that computes, beside the tool, and how pages look, in Chromium.
suite_web() {
    want_chromium
    install_missing
    if (command_web); then
        test_in test web --suite web
    else
        skipped web 'emscripten is not here, or Debian has no sources for it'
    fi
}

# Real programs on simulated GPUs: two CUDA builds of PyTorch, and vLLM, which brings the older; 16 GB.
suite_cuda() {
    (venv cuda test/cuda/requirements.txt) || true
    (venv vllm test/cuda/requirements-vllm.txt) || true
    test_in test cuda --suite cuda
}

# ---- PyTorch in the versions that are known (bindings/python/memmodel/_torch_versions.py) ----

TORCH_VERSIONS=(2.6 2.8 2.10 2.13 newest) # newest: that pip finds

# with_torch NAME: the tests of memmodel.torch, in build/venv/NAME
with_torch() {
    local python=$PWD/build/venv/$1/bin/python
    export PYTHONPATH=$PWD/build/test/bindings/python MEMMODEL_LIBRARY=$PWD/build/test/lib/libmemmodel.so.0
    (cd test/frameworks && "$python" -m unittest test_torch test_torch_{record,refusals,runs,storages,versions})
}

# One after the other: PyPI's builds are 5 GB each.
suite_torch_versions() {
    local version name packages
    build_in test library python-package
    mkdir -p build/nightly
    for version in "${TORCH_VERSIONS[@]}"; do
        name=torch-$version
        packages=build/nightly/$name.packages
        printf 'torch==%s.*\nnumpy\n' "$version" | sed 's/==newest.*//' >"$packages"
        if (venv "$name" "$packages"); then
            counted "$name" with_torch "$name"
        else
            skipped "$name" 'pip has no such torch for this Python'
        fi
        rm -rf "build/venv/$name"
    done
}

# ---- the same tests, compiled to notice more ----

SANITIZED=(-Dwerror=true -Dbuildtype=debugoptimized -Db_sanitize='address,undefined' -Db_lundef=false
    -Dc_args=-fno-sanitize-recover=all)

configure_sanitized() { configure sanitized CC=gcc "${SANITIZED[@]}"; }
configure_fuzz() { configure fuzz CC=clang -Dfuzz=true "${SANITIZED[@]}"; }

suite_sanitized() {
    local suite
    for suite in cli python; do (venvs_of "$suite") || true; done
    test_in sanitized testlog --no-suite checks --no-suite abi
}

suite_sanitized_unit() { only=unit-programs test_in sanitized unit --suite unit; }

suite_fuzz() {
    need_clang
    install_missing
    test_in fuzz testlog --suite fuzzing
}

configure_tsan() { configure tsan CC=gcc -Dwerror=true -Dbuildtype=debugoptimized -Db_sanitize=thread -Db_lundef=false; }

suite_tsan() { only=threaded test_in tsan testlog --suite threads; }

suite_mutants() { counted mutants command_mutants; }

# ---- other machines ----

# foreign NAME ARCHITECTURE PACKAGE...: packages of another architecture, where apt has them and may install them
foreign() {
    local name=$1 architecture=$2
    shift 2
    command -v dpkg >/dev/null && [ "$(id -u)" -eq 0 ] || return 0
    dpkg --add-architecture "$architecture"
    mkdir -p build
    { apt-get update || true; DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "$@"; } \
        >"build/apt-$name.log" 2>&1 || dpkg --remove-architecture "$architecture" || true
}

M32_PACKAGES=(gcc-multilib libjansson-dev:i386 libcmocka-dev:i386 libffi-dev:i386)

builds_m32() { compiles gcc -m32 -include errno.h -include jansson.h -ljansson -lcmocka -lffi 2>/dev/null; }
configure_m32() { configure m32 --native-file=test/abi/m32.ini -Dwerror=true -Dbuildtype=debugoptimized; }

suite_m32() {
    builds_m32 || foreign m32 i386 "${M32_PACKAGES[@]}"
    if builds_m32; then
        only=unit-programs test_in m32 testlog --suite unit
    else
        skipped m32 "it needs ${M32_PACKAGES[*]}"
    fi
}

AARCH64_PACKAGES=(gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user libc6:arm64 libjansson-dev:arm64
    libcmocka-dev:arm64 libffi-dev:arm64)

builds_aarch64() {
    aarch64-linux-gnu-gcc -x c -include errno.h -include jansson.h -o build/aarch64-probe - -ljansson -lcmocka -lffi \
        <<<'int main(void) { return 0; }' 2>/dev/null && qemu-aarch64 build/aarch64-probe 2>/dev/null
}
configure_aarch64() { configure aarch64 --cross-file=test/nightly/aarch64.ini -Dwerror=true -Dbuildtype=debugoptimized; }

suite_aarch64() {
    mkdir -p build
    builds_aarch64 || foreign aarch64 arm64 "${AARCH64_PACKAGES[@]}"
    if builds_aarch64; then
        only=unit-programs test_in aarch64 testlog --suite unit
    else
        skipped aarch64 "it needs ${AARCH64_PACKAGES[*]}"
    fi
}

configure_musl() {
    configure musl CC=musl-gcc -Dbuildtype=debugoptimized -Ddefault_library=static -Dlua=disabled \
        "-Dpkg_config_path=$PWD/build/musl-libraries/lib/pkgconfig"
}

suite_musl() {
    need musl-tools musl-gcc --version
    need make make --version
    need cmake cmake --version
    install_missing
    # the libraries that it links must be compiled with musl, too
    if CC=musl-gcc packaging/libraries.sh build/musl-libraries jansson libffi cmocka >build/musl.log 2>&1; then
        only=unit-programs test_in musl testlog --suite unit
    else
        skipped musl 'the sources of its libraries could not be fetched from Debian and compiled (build/musl.log)'
    fi
}

suite_m32_quick() { MEMMODEL_QUICK=1 suite_m32; }
suite_musl_quick() { MEMMODEL_QUICK=1 suite_musl; }
suite_aarch64_quick() { MEMMODEL_QUICK=1 suite_aarch64; }

suite_fresh() {
    if [ "$(id -u)" -eq 0 ]; then
        counted fresh command_fresh
    else
        skipped fresh 'only root can make a Debian in a folder'
    fi
}
