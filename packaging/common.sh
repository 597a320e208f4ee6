# What the scripts of this folder share; to be sourced.
# shellcheck shell=bash
set -euo pipefail

packaging=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
repository=$(dirname -- "$packaging")
: "${HOME:=$(getent passwd "$(id -u)" | cut -d: -f6)}"
export HOME
cache="${XDG_CACHE_HOME:-$HOME/.cache}/tunebench"
export CCACHE_DIR="${CCACHE_DIR:-$cache/ccache}"
export CCACHE_BASEDIR="$repository" CCACHE_NOHASHDIR=1 # a clone in another folder finds what the first one built

die() {
    printf '%s\n' "$*" >&2
    exit 1
}

libtorch() {
    local root="${TUNEBENCH_LIBTORCH:-$cache/libtorch/torch}"
    printf '%s\n' "${root%/}"
}

arrow() {
    local root="${TUNEBENCH_ARROW:-$cache/arrow/pyarrow}"
    printf '%s\n' "${root%/}"
}

# needs_space FOLDER MEGABYTES WHAT-FOR
needs_space() {
    local free
    free=$(df --output=avail -B1000000 -- "$1" | tail -n 1)
    [ "$free" -ge "$2" ] || die "$3 needs $2 MB of free space in $1, which has ${free// /} MB; free some, then start again."
}

# build PRESET [TARGET...]: configures when that was never done or LibTorch or Arrow has moved, then builds what has
# changed.
build() {
    local preset=$1 folder="$repository/build/$1" roots
    shift
    roots=$(sed -n 's/^\(Arrow\|LibTorch\)_ROOT_DIR:[A-Z]*=//p' "$folder/CMakeCache.txt" 2>/dev/null || true)
    cd -- "$repository"
    if [ ! -e "$folder/build.ninja" ] || [ "$roots" != "$(arrow; libtorch)" ]; then
        command -v "${CXX:-c++}" >/dev/null || die "There is no C++ compiler; install g++ 12 or later, then start again."
        needs_space "$repository" 2000 "Building Tunebench"
        cmake --preset "$preset" -U 'Arrow_*' -U 'LibTorch_*' --log-level=WARNING ||
            die "CMake could not configure the build; its message above says what is missing."
    fi
    cmake --build --preset "$preset" ${1:+--target "$@"} || die "The build failed; the first message above that says 'error' tells why."
}
