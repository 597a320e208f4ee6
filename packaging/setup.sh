#!/usr/bin/env bash
# Brings what Tunebench is built from and runs with, each only where it is missing: Debian packages, LibTorch, Arrow
# (which reads Parquet files) and the demo model. All but the packages go to ${XDG_CACHE_HOME:-~/.cache}/tunebench.
#
# usage: setup.sh [--with-tests]
#   TUNEBENCH_LIBTORCH=FOLDER  a LibTorch of your own (with include/ and lib/); none is fetched then
#   TUNEBENCH_ARROW=FOLDER     an Arrow of your own (with include/ and the libraries of Arrow and Parquet), likewise
#   TUNEBENCH_NO_PACKAGES=1    leave the system's packages alone (a distribution without apt-get)
. "$(dirname -- "${BASH_SOURCE[0]}")/common.sh"

package_lists=("$packaging/debian-packages.txt")
case "${1:-}" in
'') ;;
--with-tests) package_lists+=("$packaging/debian-packages-test.txt") ;;
*) die "usage: setup.sh [--with-tests]" ;;
esac

missing_packages() {
    local wanted installed
    wanted=$(grep -hv '^#' "${package_lists[@]}" | sort)
    # shellcheck disable=SC2086 # one argument a package
    installed=$(dpkg-query -W -f='${db:Status-Status} ${Package}\n' $wanted 2>/dev/null | sed -n 's/^installed //p' | sort || true)
    comm -23 <(printf '%s\n' "$wanted") <(printf '%s\n' "$installed")
}

install_packages() {
    local missing as_root=() log="$cache/apt.log" apt=(apt-get -o DPkg::Lock::Timeout=120 -q)
    missing=$(missing_packages | paste -sd ' ')
    [ -n "$missing" ] || return 0
    if [ "$(id -u)" -ne 0 ]; then
        command -v sudo >/dev/null ||
            die "Packages are missing and need an administrator: as root, run 'apt-get install $missing', then start again."
        as_root=(sudo)
        [ -t 0 ] || as_root=(sudo -n)
        "${as_root[@]}" true ||
            die "sudo was refused; as an administrator, run 'apt-get install $missing', then start again."
    fi
    printf 'Installing Debian packages: %s\n' "$missing"
    mkdir -p -- "$cache"
    "${as_root[@]}" "${apt[@]}" update >"$log" 2>&1 || true
    # shellcheck disable=SC2086 # one argument a package
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive "${apt[@]}" install -y --no-install-recommends $missing \
        </dev/null >>"$log" 2>&1 || explain_apt "$log" "$missing"
}

# explain_apt LOG PACKAGES
explain_apt() {
    if grep -q 'No space left\|enough free space' "$1"; then
        die "There is not enough free space to install $2; free some, then start again ($1)."
    elif grep -q 'Temporary failure\|Could not resolve\|Could not connect\|Network is unreachable\|timed out' "$1"; then
        die "Debian's package servers cannot be reached; check the network connection, then start again ($1)."
    elif grep -q 'Unable to locate package\|no installation candidate' "$1"; then
        die "This distribution lacks some of $2; Debian 12 has them all, elsewhere install what corresponds and set TUNEBENCH_NO_PACKAGES=1 ($1)."
    fi
    die "apt-get could not install $2; see the end of $1 for its reason."
}

has_nvidia_driver() {
    [ -e /proc/driver/nvidia/version ] || nvidia-smi -L >/dev/null 2>&1 ||
        { PATH="$PATH:/sbin:/usr/sbin" ldconfig -p 2>/dev/null | grep -q 'libcuda\.so\.1 '; }
}

# is_complete FOLDER REQUIREMENTS...: the folder holds what these files ask for.
is_complete() {
    local folder=$1
    shift
    cat -- "$@" | cmp -s - "$folder/.complete"
}

python() {
    local python=/usr/bin/python3
    [ -x "$python" ] || python=python3
    command -v "$python" >/dev/null || die "Python 3 is missing; install python3 and its pip, then start again."
    "$python" "$@"
}

fetch_libtorch() {
    local cpu="$packaging/libtorch-cpu.txt" cuda="$packaging/libtorch-cuda.txt" into="$cache/libtorch"
    local keep=('torch/include/*' 'torch/lib/lib*.so*' 'nvidia/*/lib/*.so*' '*.dist-info/*LICENSE*' '*.dist-info/*NOTICE*'
        '*.dist-info/*License*')
    local leave_out=('torch/lib/libtorch_python.so' 'torch/lib/libshm.so')
    is_complete "$into" "$cpu" "$cuda" && return
    if has_nvidia_driver; then
        python "$packaging/fetch.py" "$into" --requirements "$cpu" "$cuda" --space 4500 \
            --keep "${keep[@]}" --leave-out "${leave_out[@]}"
    elif ! is_complete "$into" "$cpu"; then
        leave_out+=('torch/lib/libtorch_cuda*' 'torch/lib/libc10_cuda*' 'torch/lib/libcaffe2_nvrtc*'
            'torch/lib/libtorch_nvshmem*' 'nvidia/*/libnvperf*' 'nvidia/*/libcheckpoint*' 'nvidia/*/libpcsampling*')
        python "$packaging/fetch.py" "$into" --requirements "$cpu" --space 1200 \
            --keep "${keep[@]}" --leave-out "${leave_out[@]}"
    fi
}

check_own_libtorch() {
    { [ -e "$TUNEBENCH_LIBTORCH/include/ATen/ATen.h" ] && [ -e "$TUNEBENCH_LIBTORCH/lib/libtorch_cpu.so" ]; } ||
        die "TUNEBENCH_LIBTORCH=$TUNEBENCH_LIBTORCH is no LibTorch folder (include/ATen/ATen.h and lib/libtorch_cpu.so); correct it, or unset it to have one fetched."
}

fetch_arrow() {
    is_complete "$cache/arrow" "$packaging/arrow.txt" ||
        python "$packaging/fetch.py" "$cache/arrow" --requirements "$packaging/arrow.txt" --space 250 \
            --keep 'pyarrow/include/*' 'pyarrow/libarrow.so.*' 'pyarrow/libparquet.so.*' '*.dist-info/*LICENSE*' \
            '*.dist-info/*NOTICE*'
}

check_own_arrow() {
    [ -e "$TUNEBENCH_ARROW/include/parquet/arrow/reader.h" ] ||
        die "TUNEBENCH_ARROW=$TUNEBENCH_ARROW is no folder of Arrow for C++ (include/parquet/arrow/reader.h); correct it, or unset it to have one fetched."
}

# check_machine NAME VARIABLE
check_machine() {
    [ "$(uname -sm)" = "Linux x86_64" ] ||
        die "$1 can be fetched for 64-bit x86 Linux alone; set $2 to one for this machine."
}

fetch_demo_model() {
    is_complete "$cache/models" "$packaging/demo-model.txt" ||
        python "$packaging/fetch.py" "$cache/models" --requirements "$packaging/demo-model.txt" --space 300 \
            --keep '*.gguf' '*.dist-info/LICENSE' --flat
}

if [ -z "${TUNEBENCH_NO_PACKAGES:-}" ]; then
    { command -v apt-get && command -v dpkg-query; } >/dev/null ||
        die "This distribution has no apt-get; install what corresponds to packaging/debian-packages.txt yourself, then start again with TUNEBENCH_NO_PACKAGES=1."
    install_packages
fi
if [ -n "${TUNEBENCH_LIBTORCH:-}" ]; then
    check_own_libtorch
else
    check_machine LibTorch TUNEBENCH_LIBTORCH
    fetch_libtorch
fi
if [ -n "${TUNEBENCH_ARROW:-}" ]; then
    check_own_arrow
else
    check_machine Arrow TUNEBENCH_ARROW
    fetch_arrow
fi
fetch_demo_model
