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

# version: of everything here; people change it with tools/version.
version() {
  sed -n 's/^  public static let current = "\(.*\)"$/\1/p' "$root/Sources/TidingsRPC/Version.swift"
}

# build_release PRODUCT...: the Swift library goes into the programs, so that they need no Swift where
# they run. All tools build alike, or one would undo the other's work.
release_options=(--configuration release --static-swift-stdlib)
build_release() {
  local product
  for product in "$@"; do
    say "building $product"
    swift build --package-path "$root" "${release_options[@]}" --product "$product" >&2
  done
}
