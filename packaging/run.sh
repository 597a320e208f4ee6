#!/usr/bin/env bash
# Installs what is missing, builds what has changed and opens the workbench, with the demo model and dataset chosen.
#
# usage: run.sh [ARGUMENTS of tunebench]
#        run.sh --headless [OPTIONS of 'tunebench-cli train', such as --set max_steps=20]: the same job in the terminal
. "$(dirname -- "${BASH_SOURCE[0]}")/common.sh"

headless=false
if [ "${1:-}" = --headless ]; then
    headless=true
    shift
elif [ -z "${DISPLAY:-}${WAYLAND_DISPLAY:-}${QT_QPA_PLATFORM:-}" ]; then
    die "There is no display to open a window on; start with --headless to train in the terminal, or set DISPLAY."
fi

# Standard output is the program's own.
{
    "$packaging/setup.sh"
    build release tunebench tunebench-cli
    # `auto` and the plan go by what this machine measures; once is enough for one program.
    cli="$repository/build/release/bin/tunebench-cli"
    [ "${XDG_DATA_HOME:-$HOME/.local/share}/tunebench/device.json" -nt "$cli" ] || "$cli" doctor --once
} >&2
if $headless; then
    exec "$repository/build/release/bin/tunebench-cli" train "$repository/resources/demo/demo.json" "$@"
fi
exec "$repository/build/release/bin/tunebench" "$@"
