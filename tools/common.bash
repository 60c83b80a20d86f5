# What the tools share; sourced by them.
# shellcheck shell=bash

# shellcheck disable=SC2034  # the tools use it
root="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
program="tools/$(basename "$0")"

# say TEXT: tells what happens, on standard error, so that standard output is data only.
say() {
  echo "==> $*" >&2
}

fail() {
  echo "$program: $*" >&2
  exit 1
}

# refuse ARGUMENT: ends for a wrong command line.
refuse() {
  echo "$program: unknown argument '$1'; see $program --help" >&2
  exit 2
}

need_swift() {
  command -v swift >/dev/null \
    || fail "swift is not on the PATH: install Swift 6.2 or newer from https://www.swift.org/install"
}
