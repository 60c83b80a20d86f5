# A Debian where nothing is, in a folder; sourced by what installs there.
# shellcheck shell=bash disable=SC2154  # root is of tools/common.bash, folder and tree of the sourcing script

# Others cannot make one.
(($(id -u) != 0)) || command -v debootstrap >/dev/null \
  || fail "debootstrap is missing: tools/install-dependencies --package installs it"
suite="$(sed -n 's/^VERSION_CODENAME=//p' /etc/os-release)"
[[ -n "$suite" ]] || fail "this system does not say which Debian it is"
cache="$root/.build/debian"
base="$cache/$suite-$(dpkg --print-architecture).tar"
# What commands inside run with.
network=()

step() {
  say "$* ($SECONDS s)"
}

# expect WHAT EXPECTED FOUND
expect() {
  [[ "$3" == "$2" ]] || fail "$1: expected '$2', found '$3'"
}

# wait_for COMMAND...: until it succeeds, a minute at most.
wait_for() {
  for _ in {1..600}; do
    if "$@"; then return; fi
    sleep 0.1
  done
  return 1
}

# inside COMMAND...: in the clean Debian, with a network of its own once there is one.
inside() {
  "${network[@]}" chroot "$tree" "$@"
}

# The lists of packages of this machine's own distribution: address, release, component.
sources() {
  # shellcheck disable=SC2016  # apt-get's variables
  apt-get indextargets --format '$(REPO_URI) $(RELEASE) $(COMPONENT)' 'Created-By: Packages' \
    | awk -v suite="$suite" '$2 == suite || index($2, suite "-") == 1' | sort --unique
}

# Debian as it is before anything is installed, with its lists of packages.
make_base() {
  local mirror
  mirror="$(sources | awk -v suite="$suite" '$2 == suite { print $1; exit }')"
  [[ -n "$mirror" ]] || fail "apt-get does not know where the packages of '$suite' are"
  step "fetching $suite from $mirror"
  mkdir -p "$folder/base"
  # A file system in memory, where it fits: dpkg waits for the disk after each file.
  mount -t tmpfs -o size=1g tidings-base "$folder/base" || say "without a file system in memory: slower"
  debootstrap --variant=minbase --merged-usr "$suite" "$folder/base" "$mirror" >"$folder/debootstrap.log" \
    || fail "debootstrap failed: $(tail -n 5 "$folder/debootstrap.log")"
  sources | sed 's/^/deb /' >"$folder/base/etc/apt/sources.list"
  echo 'Acquire::Languages "none";' >"$folder/base/etc/apt/apt.conf.d/90check"
  echo force-unsafe-io >"$folder/base/etc/dpkg/dpkg.cfg.d/check"
  apt-config dump Acquire --format '%F "%v";%n' | grep -i proxy >>"$folder/base/etc/apt/apt.conf.d/90check" || true
  install -m 0644 /etc/resolv.conf "$folder/base/etc/resolv.conf"
  chroot "$folder/base" apt-get update --quiet=2 >&2
  rm -f "$folder/base"/var/cache/apt/archives/*.deb
  tar -C "$folder/base" -cf "$base.new" .
  mv "$base.new" "$base"
  ! mountpoint --quiet "$folder/base" || umount "$folder/base"
}

apt_install() {
  inside env DEBIAN_FRONTEND=noninteractive apt-get install --yes --quiet=2 --no-install-recommends \
    --option APT::Keep-Downloaded-Packages=true --option Dpkg::Use-Pty=false "$@" >"$folder/apt.log" 2>&1
}

# install_packages NAME...: as an administrator does; what they depend on is fetched once.
install_packages() {
  mkdir -p "$cache/archives"
  cp "$cache/archives"/*.deb "$tree/var/cache/apt/archives/" 2>/dev/null || true
  # The servers may not have any more what was the newest when Debian was fetched.
  apt_install "$@" || { inside apt-get update --quiet=2 >&2 && apt_install "$@"; } \
    || fail "apt-get install failed: $(cat "$folder/apt.log")"
  cp --update "$tree"/var/cache/apt/archives/*.deb "$cache/archives/" 2>/dev/null || true
}

# install_package FILE: the package.
install_package() {
  cp "$1" "$tree/tidings.deb"
  install_packages /tidings.deb
}

# Makes the tree.
make_tree() {
  mkdir -p "$cache"
  find "$cache" -type f -mtime +30 -delete
  [[ -f "$base" ]] || make_base
  step "a clean $suite"
  mkdir "$tree"
  tar -C "$tree" -xf "$base"
  mount -t proc proc "$tree/proc"
}

# What is mounted goes before the files do.
remove_tree() {
  local mount
  for mount in "$tree/proc" "$folder/base"; do
    ! mountpoint --quiet "$mount" || umount --recursive "$mount"
  done
  rm -rf --one-file-system "$folder"
}
