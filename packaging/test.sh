#!/usr/bin/env bash
# Installs what is missing, builds the release preset and runs every test.
#
# usage: test.sh [OPTIONS of ctest, such as -R tokenizer]
. "$(dirname -- "${BASH_SOURCE[0]}")/common.sh"

"$packaging/setup.sh" --with-tests
build release
if [ -d "$repository/../shared" ]; then
    export TUNEBENCH_SHARED="${TUNEBENCH_SHARED:-$(cd -- "$repository/../shared" && pwd)}"
fi
exec ctest --preset release "$@"
