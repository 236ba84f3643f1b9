# shellcheck shell=bash
# packages.sh - sourced by ./test and ./demo: are the tools and libraries there? Where they are not,
# root on Debian or Ubuntu gets them by apt-get; anybody else is told the line to run.
#
#     need_packages build     what building needs
#     need_packages all       the same, with what the tests need
#     want_packages           what single tests need: liblbfgsb, MPI, clang and its sanitizers,
#                             clang-tidy, clang-format, python3-venv, nodejs, zsh, fish. Where they cannot be had, those tests are
#                             left out, with a message
#
# Looks for the things themselves, not for package names, and touches no network when all are there.

has_library() { # by pkg-config
    pkg-config --exists "$1" 2>/dev/null
}

has_lbfgsb() { # it has no pkg-config file; the linker knows
    echo 'int main(void) { return 0; }' |
        "${CC:-gcc}" -x c - -o /dev/null -llbfgsb >/dev/null 2>&1
}

# Debian keeps clang's sanitizers apart from clang, in a package named after its version.
has_clang_sanitizers() {
    echo 'int main(void) { return 0; }' |
        clang -fsanitize=address,undefined -x c - -o /dev/null >/dev/null 2>&1
}

clang_version() { # 14 where there is none: that of Debian 12
    echo __clang_major__ | clang -E -P - 2>/dev/null || echo 14
}

missing_packages() {
    if ! command -v "${CC:-gcc}" >/dev/null; then
        echo gcc libc6-dev
    else
        echo '#include <stdio.h>' | "${CC:-gcc}" -E - >/dev/null 2>&1 || echo libc6-dev
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

wanted_packages() {
    has_lbfgsb || echo liblbfgsb-dev
    { command -v mpicc && command -v mpirun; } >/dev/null || echo libopenmpi-dev openmpi-bin
    command -v clang >/dev/null || echo clang
    has_clang_sanitizers || echo "libclang-rt-$(clang_version)-dev"
    command -v clang-tidy >/dev/null || echo clang-tidy
    command -v clang-format >/dev/null || echo clang-format
    command -v zsh >/dev/null || echo zsh
    command -v fish >/dev/null || echo fish
    { command -v node || command -v nodejs; } >/dev/null || echo nodejs
    python3 -c 'import ensurepip, venv' 2>/dev/null || echo python3-venv
}

may_install() { # root on Debian or Ubuntu
    [ "$(id -u)" -eq 0 ] && command -v apt-get >/dev/null
}

install_packages() {
    echo "installing: $*"
    export DEBIAN_FRONTEND=noninteractive
    apt-get update -qq >/dev/null &&
        apt-get install -y -qq --no-install-recommends "$@" >/dev/null
}

need_packages() {
    local missing
    missing=$(missing_packages "$1" | tr '\n' ' ')
    [ -n "$missing" ] || return 0
    if may_install; then
        # shellcheck disable=SC2086
        install_packages $missing || true
        missing=$(missing_packages "$1" | tr '\n' ' ')
        [ -n "$missing" ] || return 0
    fi
    echo "missing: $missing" >&2
    echo "install them with: sudo apt-get update && sudo apt-get install -y $missing" >&2
    exit 1
}

want_packages() {
    local missing
    missing=$(wanted_packages | tr '\n' ' ')
    [ -n "$missing" ] || return 0
    if may_install; then
        # shellcheck disable=SC2086
        install_packages $missing || true
        missing=$(wanted_packages | tr '\n' ' ')
        [ -n "$missing" ] || return 0
    fi
    echo "some tests are left out: they need $missing"
    echo "install them with: sudo apt-get update && sudo apt-get install -y $missing"
}
