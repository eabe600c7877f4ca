# The steps of .ci/run that consist of several commands. It sources this file in the root of the workspace.
# shellcheck shell=bash

CARGO_DENY_VERSION=0.20.2
CARGO_PUBLIC_API_VERSION=0.52.0

# A target folder of its own: its dependencies are not ours. Without optimisation: building such a tool takes longer than it
# ever runs.
install_cargo_tool() {
  local tool="$1" version="$2"
  [[ "$(cat "$cache/bin/$tool.version" 2>/dev/null)" != "$version" ]] || return 0
  CARGO_TARGET_DIR="$cache/tool" CARGO_PROFILE_DEV_DEBUG=0 \
    cargo install --debug --quiet --locked --root "$cache" "$tool@$version"
  printf '%s' "$version" >"$cache/bin/$tool.version"
}

install_tools() {
  local missing=()
  command -v valgrind >/dev/null || missing+=(valgrind)
  command -v kubectl >/dev/null || missing+=(kubernetes-client)
  command -v tmux >/dev/null || missing+=(tmux)
  command -v ip >/dev/null || missing+=(iproute2)
  command -v cc >/dev/null || missing+=(gcc libc6-dev)
  command -v c++ >/dev/null || missing+=(g++)
  command -v go >/dev/null || missing+=(golang-go)
  command -v chromium >/dev/null || missing+=(chromium)
  command -v chromedriver >/dev/null || missing+=(chromium-driver)
  if ((${#missing[@]} > 0)); then
    apt-get update -qq
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}"
  fi
  install_cargo_tool cargo-deny "$CARGO_DENY_VERSION"
  install_cargo_tool cargo-public-api "$CARGO_PUBLIC_API_VERSION"
  rm -rf "$cache/tool"
  rustc --version
  go version
  kubectl version --client 2>&1 | sed -n 1p
  valgrind --version
}

# Cargo.toml states the minimum Rust version. There is no toolchain file: with one, rustup would download that version even
# if a suitable one is installed.
check_minimum_rust() {
  local minimum installed
  minimum="$(sed -n 's/^rust-version = "\(.*\)"$/\1/p' Cargo.toml)"
  installed="$(rustc --version | cut -d' ' -f2)"
  if [[ "$(printf '%s\n' "$minimum" "$installed" | sort -V | sed -n 1p)" != "$minimum" ]]; then
    printf 'rustc is %s, and tidings needs %s or newer: rustup update\n' "$installed" "$minimum"
    return 1
  fi
  case "$installed" in
    "$minimum" | "$minimum".*) printf 'rustc is %s: this run proves the minimum %s\n' "$installed" "$minimum" ;;
    *) compile_with_minimum_rust "$minimum" "$installed" ;;
  esac
}

# A newer compiler does not prove that the minimum version works.
compile_with_minimum_rust() {
  local minimum="$1" installed="$2" toolchain
  toolchain="$(rustup toolchain list 2>/dev/null | sed -n "s/^\($minimum\(\.[0-9]*\)\?-[^ ]*\).*/\1/p" | sed -n 1p)"
  if [[ -z "$toolchain" ]]; then
    printf 'rustc is %s; %s is not installed, so this run does not prove it\n' "$installed" "$minimum"
    return
  fi
  printf 'rustc is %s; compiling with %s\n' "$installed" "$toolchain"
  CARGO_TARGET_DIR="$cache/target-minimum" cargo "+$toolchain" check --locked --workspace --all-targets
}

# A clone gives all its files the time of the clone, and cargo then compiles every crate again. A file that the last run had
# with the same content, in a clone of the same path, gets back the time at which a run first saw this content. What was
# compiled after that time was compiled from this content, so cargo compiles only what a change affects. This is true only if
# nothing but clean runs compiled into the target folder; otherwise all files count as new.
restore_times_of_files() {
  local table="$cache/files" now
  if [[ ! -d .git || -n "$(git status --porcelain)" ]]; then
    rm -f "$table"
    printf 'not a clean clone: no time is changed\n'
    return
  fi
  if [[ -n "$(find "$CARGO_TARGET_DIR" -name invoked.timestamp -newer "$cache/files.used" -print -quit 2>&1)" ]]; then
    rm -f "$table"
  fi
  now="$(date +%s)"
  touch -a "$table"
  git ls-files --stage | awk -F '\t' -v OFS='\t' -v now="$now" -v root="$PWD" -v table="$table" '
    BEGIN {
      same = (getline line < table) > 0 && line == root
      while (same && (getline line < table) > 0) {
        split(line, field, FS)
        time[field[2] FS field[3]] = field[1]
      }
      print root
    }
    {
      split($1, mode, " ")
      content = mode[2] FS $2
      print (content in time ? time[content] : now), mode[2], $2
    }' >"$table.new"
  mv "$table.new" "$table"
  # One call of touch for each time: there are few.
  local time
  for time in $(sed 1d "$table" | cut -f1 | sort -u); do
    awk -F '\t' -v time="$time" 'NR > 1 && $1 == time { print $3 }' "$table" | tr '\n' '\0' | xargs -0 touch -h -d "@$time"
  done
  printf '%d files, %d of them new or changed since the last run\n' \
    "$(sed 1d "$table" | wc -l)" "$(awk -F '\t' -v now="$now" 'NR > 1 && $1 == now' "$table" | wc -l)"
}

# Called at the end of a run: what is compiled later, somebody else compiled.
remember_last_use() {
  touch "$cache/files.used"
}

# k8s-openapi builds for one version of Kubernetes. Our libraries leave this choice to their users, so it must be made here.
build_documentation() {
  K8S_OPENAPI_ENABLED_VERSION=1.37 RUSTDOCFLAGS="-D warnings" cargo doc --locked --workspace --no-deps
}

# The tests have built the examples and the program. The time limit stops an example that does not end.
run_examples() {
  local source
  for source in crates/tidings/examples/*.rs crates/tidings-cluster/examples/*.rs; do
    printf -- '--- %s\n' "$source"
    timeout 60 "$CARGO_TARGET_DIR/debug/examples/$(basename "$source" .rs)"
  done
  printf -- '--- the demo\n'
  timeout 60 "$CARGO_TARGET_DIR/debug/tidings" demo --seconds 3
}

# Crates outside the workspace and other languages, beside the tests: cargo releases the lock of the target folder before it
# runs tests. The crates share that lock, so they follow each other.
check_other_crates() {
  renice -n 10 -p "$BASHPID" >/dev/null
  printf -- '\n--- outside crates\n'
  build_outside_crates
  printf -- '\n--- first controller\n'
  bash .ci/first_controller.sh
  bash .ci/simulation.sh
  printf -- '\n--- other languages\n'
  bash .ci/testing_page.sh
  printf -- '\n--- fuzz targets\n'
  check_fuzz_targets
  printf -- '\n--- generated tables\n'
  check_generated_tables
}

# Builds a crate outside the workspace with the oldest and the newest Kubernetes version of k8s-openapi, because the
# libraries must not choose one. The program also runs with the oldest one; the examples above ran with the newest.
build_outside_crates() {
  local root folder version
  root="$PWD"
  for version in earliest latest; do
    folder="$(mktemp -d)"
    mkdir "$folder/src"
    cp "$root/Cargo.lock" "$folder/"
    cp "$root/crates/tidings/examples/quick_start.rs" "$folder/src/main.rs"
    cat >"$folder/Cargo.toml" <<TOML
[package]
name = "outside-$version"
version = "0.0.0"
edition = "2024"

[dependencies]
anyhow = "1"
k8s-openapi = { version = "0.29", default-features = false, features = ["$version"] }
serde_json = "1"
tidings = { path = "$root/crates/tidings" }
tidings-apiserver = { path = "$root/crates/tidings-apiserver" }
tokio = { version = "1", features = ["macros", "rt-multi-thread"] }

[workspace]
TOML
    printf -- '--- k8s-openapi %s\n' "$version"
    case "$version" in
      earliest) (cd "$folder" && cargo build --quiet && timeout 60 "$CARGO_TARGET_DIR/debug/outside-$version") ;;
      latest) (cd "$folder" && cargo check --quiet) ;;
    esac
    rm -rf "$folder"
  done
  check_feature_corners "$root"
}

# The combinations of features that users select. Without features neither the controller nor axum nor prometheus-client is
# compiled.
check_feature_corners() {
  local root="$1" folder features
  folder="$(mktemp -d)"
  mkdir "$folder/src"
  cp "$root/Cargo.lock" "$folder/"
  printf '//! Uses tidings.\npub use tidings::SharedInformerFactory;\n' >"$folder/src/lib.rs"
  for features in '' '"metrics"' '"controller"' '"derived"' '"endpoints"' '"http2"'; do
    cat >"$folder/Cargo.toml" <<TOML
[package]
name = "features"
version = "0.0.0"
edition = "2024"

[dependencies]
k8s-openapi = { version = "0.29", default-features = false, features = ["latest"] }
tidings = { path = "$root/crates/tidings", default-features = false, features = [$features] }

[workspace]
TOML
    printf -- '--- features [%s]\n' "$features"
    (cd "$folder" && cargo check --quiet)
    if [ -z "$features" ] && (cd "$folder" && cargo tree --prefix none | grep -E '^(axum|prometheus-client|tidings-controller) '); then
      printf 'tidings without features depends on the crates above\n' >&2
      return 1
    fi
  done
  rm -rf "$folder"
}

# Fuzz targets need cargo-fuzz and a nightly toolchain to run, but compile with any. Their crate is outside the workspace and
# uses the same versions.
check_fuzz_targets() {
  cp Cargo.lock fuzz/Cargo.lock
  cargo check --quiet --manifest-path fuzz/Cargo.toml
}

# Compiles the packages of kube-apiserver, etcd and kube-controller-manager into Go's cache. Linking them needs our test
# programs, and is done by `build_kubernetes`. Does nothing if the programs of these sources were built before: they are
# cached, and Go's cache may be gone.
compile_kubernetes() {
  [[ "$(cat "$cache/kubernetes.sources" 2>/dev/null)" != "$(kubernetes_sources)" ]] || return 0
  local program
  for program in server controllers; do
    (cd "e2e/kubernetes/$program" && CGO_ENABLED=0 nice -n 10 go build -buildvcs=false -trimpath -o /dev/null .)
  done
}

build_kubernetes() {
  "$CARGO_TARGET_DIR/debug/kubernetes-tests" build
  kubernetes_sources >"$cache/kubernetes.sources"
}

kubernetes_sources() {
  cat e2e/kubernetes/{server,controllers}/{*.go,go.*} | sha256sum
}

# Tests spend most of their time waiting for servers and other programs. The release build uses those cores meanwhile, at a
# low priority. It has a lock and a folder of its own. Then it counts instructions, which do not depend on other load.
build_and_count() {
  renice -n 10 -p "$BASHPID" >/dev/null
  cargo build --locked --release --quiet -p tidings-bench -p tidings-simulation
  "$CARGO_TARGET_DIR/release/tidings-bench" instructions
}

check_generated_tables() {
  (cd crates/tidings-protobuf/generator && go run . -check)
  (cd crates/tidings-apiserver/generator && CGO_ENABLED=0 go run . -check)
}

# A small comparison with client-go. Fails if a ratio misses its target by more than a factor of two.
compare_with_client_go() {
  "$CARGO_TARGET_DIR/release/tidings-bench" compare --quick --fail-below-half --out "$CARGO_TARGET_DIR/comparison"
}

forget_old_caches() {
  find "$cache" -maxdepth 1 -name 'target-*' ! -path "$CARGO_TARGET_DIR" -mtime +2 -exec rm -rf {} +
}
