# Functions for the tools, which source this file.
# shellcheck shell=bash

# shellcheck disable=SC2034  # the tools use it
root="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
program="tools/$(basename "$0")"

# say TEXT: prints progress to standard error; standard output is for data only.
say() {
  echo "==> $*" >&2
}

fail() {
  echo "$program: $*" >&2
  exit 1
}

# refuse ARGUMENT: exits with a usage error.
refuse() {
  echo "$program: unknown argument '$1'; see $program --help" >&2
  exit 2
}

need_swift() {
  command -v swift >/dev/null \
    || fail "swift is not on the PATH: install Swift 6.2 or newer from https://www.swift.org/install"
}

# version: prints the version, which tools/version sets.
version() {
  sed -n 's/^  public static let current = "\(.*\)"$/\1/p' "$root/Sources/TidingsRPC/Version.swift"
}

# How the tools build what is not released. TIDINGS_BUILD=once is for a machine that begins with nothing and changes
# nothing: each module is compiled as a whole, without debugging information, and Package.swift optimizes what tests
# spend their time in.
debug_options=()
[[ "${TIDINGS_BUILD:-}" != once ]] || debug_options=(
  -Xswiftc -disable-batch-mode -Xswiftc -whole-module-optimization -Xswiftc -num-threads -Xswiftc 1 -Xswiftc -gnone -Xcc -g0 -Xcc -O1
)

# build_release PRODUCT...: links the Swift library statically, so that the programs do not require Swift, and
# optimizes across modules, which takes a tenth off a save. Paths of source files do not name the folder, in which each
# build would differ.
# All tools use the same options, to avoid rebuilds.
release_options=(
  --configuration release --static-swift-stdlib -Xswiftc -cross-module-optimization
  -Xswiftc -file-prefix-map -Xswiftc "$root=." -Xcc "-ffile-prefix-map=$root=."
)
build_release() {
  local product
  for product in "$@"; do
    say "building $product"
    swift build --package-path "$root" "${release_options[@]}" --product "$product" >&2
  done
}
