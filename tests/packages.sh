# shellcheck shell=bash
# packages.sh - sourced by ./test and ./demo: are the tools and libraries there? Where they are not,
# root on Debian or Ubuntu gets them by apt-get; anybody else is told the line to run.
#
#     need_packages build     what building needs
#     need_packages all       the same, with what the tests need
#
# An MPI library (Debian: libopenmpi-dev openmpi-bin) is not asked for: the tests of several ranks
# that need mpirun are skipped without it.
#
# Looks for the things themselves, not for package names, and touches no network when all are there.

has_library() { # by pkg-config
    pkg-config --exists "$1" 2>/dev/null
}

has_lbfgsb() { # it has no pkg-config file; the linker knows
    echo 'int main(void) { return 0; }' |
        "${CC:-gcc}" -x c - -o /dev/null -llbfgsb >/dev/null 2>&1
}

missing_packages() {
    if ! command -v "${CC:-gcc}" >/dev/null; then
        echo gcc libc6-dev liblbfgsb-dev
    else
        echo '#include <stdio.h>' | "${CC:-gcc}" -E - >/dev/null 2>&1 || echo libc6-dev
        has_lbfgsb || echo liblbfgsb-dev
    fi
    command -v meson >/dev/null || echo meson
    command -v ninja >/dev/null || echo ninja-build
    if ! command -v pkg-config >/dev/null; then
        echo pkg-config libjansson-dev zlib1g-dev libzstd-dev
        [ "$1" = all ] && echo libcmocka-dev
    else
        has_library jansson || echo libjansson-dev
        has_library zlib || echo zlib1g-dev
        has_library libzstd || echo libzstd-dev
        [ "$1" = all ] && { has_library cmocka || echo libcmocka-dev; }
    fi
    [ "$1" = all ] && { command -v python3 >/dev/null || echo python3; }
    return 0
}

need_packages() {
    missing=$(missing_packages "$1" | tr '\n' ' ')
    [ -n "$missing" ] || return 0
    if [ "$(id -u)" -eq 0 ] && command -v apt-get >/dev/null; then
        echo "installing: $missing"
        export DEBIAN_FRONTEND=noninteractive
        # shellcheck disable=SC2086
        { apt-get update -qq && apt-get install -y -qq --no-install-recommends $missing; } >/dev/null
        missing=$(missing_packages "$1" | tr '\n' ' ')
        [ -n "$missing" ] || return 0
    fi
    echo "missing: $missing" >&2
    echo "install them with: sudo apt-get update && sudo apt-get install -y $missing" >&2
    exit 1
}
