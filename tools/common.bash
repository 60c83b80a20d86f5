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

# The one build of tools/run, tools/test and the checks: optimized where it matters (Package.swift), with what tests reach
# into and the switches that only tests use (DEBUG), and without debugging information, which takes a third of the time.
# All tools use the same options, or they would build everything again.
export TIDINGS_BUILD=tools
build_options=(
  --configuration release -Xswiftc -enable-testing -Xswiftc -DDEBUG -Xswiftc -gnone -Xcc -g0
)
# shellcheck disable=SC2034  # the tools use it
built="$root/.build/release"

# build PRODUCT...
build() {
  local product
  for product in "$@"; do
    say "building $product"
    swift build --package-path "$root" "${build_options[@]}" --product "$product" >&2
  done
}

# How a build that is used once is made in the least time: each module as a whole, without optimization.
# shellcheck disable=SC2034  # the tools use it
hasty_options=(
  -Xswiftc -disable-batch-mode -Xswiftc -whole-module-optimization -Xswiftc -num-threads -Xswiftc 1 -Xswiftc -gnone -Xcc -g0
)

# build_release PRODUCT...: what is installed and measured. Links the Swift library statically, so that the programs do not
# require Swift, and optimizes across modules, which takes a tenth off a save. Paths of source files do not name the folder, in
# which each build would differ.
# shellcheck disable=SC2034  # the tools use it
released="$root/.build/released/release"
build_release() {
  local product
  for product in "$@"; do
    say "building $product"
    env --unset=TIDINGS_BUILD swift build --package-path "$root" --scratch-path "$root/.build/released" --configuration release --static-swift-stdlib \
      -Xswiftc -cross-module-optimization -Xswiftc -file-prefix-map -Xswiftc "$root=." -Xcc "-ffile-prefix-map=$root=." \
      --product "$product" >&2
  done
}

# A run of several parts, each of which runs whatever became of those before it, and the table at its end.
# A part is a program and no function of its caller: where a failure is looked at, bash does not stop at errors.
table_rows=()
failed_parts=()
# What a part writes of its tests: passed, failed, skipped and why, with tabs between them.
export TIDINGS_COUNTS="${TIDINGS_COUNTS:-/dev/null}"

# part NAME COMMAND...: runs a part, and notes how long it took and what became of it.
part() {
  local name="$1" started=$SECONDS status=0 outcome="" scratch inner row
  scratch="$(mktemp -d)"
  : >"$scratch/counts"
  : >"$scratch/rows"
  say "$name"
  TIDINGS_COUNTS="$scratch/counts" TIDINGS_ROWS="$scratch/rows" "${@:2}" || status=$?
  if ((status != 0)); then
    outcome="FAILED"
    failed_parts+=("$name")
  fi
  row="$name"$'\t'"$((SECONDS - started))"$'\t'"$outcome"$'\t'"$(tail --lines=1 "$scratch/counts")"
  say "$name: ${outcome:-done} after $((SECONDS - started)) s"
  while IFS= read -r inner; do table_rows+=("  $inner"); done <"$scratch/rows"
  table_rows+=("$row")
  rm -rf "$scratch"
  return "$status"
}

# start_lane LOG COMMAND...: runs a command that has parts in another process, while this one goes on with others. Its output
# goes to a file.
lane_process="" lane_log="" lane_rows=""
start_lane() {
  lane_log="$1"
  lane_rows="$(mktemp)"
  # A group of its own, which ends with this program.
  set -m
  TIDINGS_ROWS="$lane_rows" "${@:2}" >"$lane_log" 2>&1 </dev/null &
  lane_process=$!
  set +m
  trap 'kill -- "-$lane_process" 2>/dev/null || true' EXIT
}

# join_lane: waits for the other process, and takes over its parts.
join_lane() {
  local status=0 row
  wait "$lane_process" || status=$?
  trap - EXIT
  cat "$lane_log" >&2
  while IFS= read -r row; do
    table_rows+=("$row")
    [[ "$row" != *$'\t'FAILED$'\t'* ]] || failed_parts+=("${row%%$'\t'*}")
  done <"$lane_rows"
  [[ -s "$lane_rows" ]] || failed_parts+=("what ran meanwhile (exit code $status)")
  rm "$lane_rows"
}

# skip_part NAME WHY
skip_part() {
  say "$1 is skipped: $2"
  table_rows+=("$1"$'\t'0$'\t'"skipped: $2"$'\t')
}

# end_parts: prints the table, and fails if a part did.
end_parts() {
  local row
  echo
  printf '%s\n' "${table_rows[@]}" | awk -F '\t' '
    BEGIN { printf "%-34s %8s %8s %7s %8s\n", "part", "time", "passed", "failed", "skipped" }
    {
      printf "%-34s %3d m %02d", $1, $2 / 60, $2 % 60
      if ($4 != "") printf " %8d %7d %8d", $4, $5, $6
      if ($3 != "") printf "  %s", $3
      if ($7 != "") printf "  skipped: %s", $7
      print ""
      if ($1 ~ /^ /) next
      if ($4 != "") { passed += $4; failed += $5; skipped += $6; counted = 1 }
      # A part that ended in the middle, or has no tests.
      if ($3 == "FAILED" && $5 + 0 == 0) failed++
    }
    END { if (counted) printf "\n%d passed, %d failed, %d skipped\n", passed, failed, skipped }'
  if [[ -n "${TIDINGS_ROWS:-}" ]]; then
    for row in "${table_rows[@]}"; do echo "$row"; done >>"$TIDINGS_ROWS"
  fi
  ((${#failed_parts[@]} == 0)) || fail "failed: ${failed_parts[*]}"
}
