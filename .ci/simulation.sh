#!/usr/bin/env bash
# Follows docs/simulation.md exactly: takes the crate of docs/controllers.md, adds the simulation, plants the bug, finds it,
# repeats it, and removes it.
set -euo pipefail
cd "$(dirname "$0")/.."
root="$PWD"
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT

# The n-th block of a language on a page.
block() {
  awk -v language="$2" -v wanted="$3" '
    $0 == "```" && inside { inside = 0; next }
    $0 == "```" language { seen++; if (seen == wanted) { inside = 1; next } }
    inside' "$root/docs/$1.md"
}

cd "$work"
cargo new --quiet --vcs none greeter
cd greeter
sed -i '/^\[dependencies\]/,$d' Cargo.toml
# The clone is not next to the crate here.
{ block controllers toml 1; block simulation toml 1; } | sed "s|\.\./tidings|$root|" >>Cargo.toml
{ block controllers rust 1; block simulation rust 1; } >src/main.rs
block controllers rust 2 >src/tests.rs
block simulation rust 2 >src/simulation.rs
cp "$root/Cargo.lock" .
cargo test --quiet simulation -- --nocapture

# Replaces the function `reconcile` by the third block of the page.
cp src/main.rs "$work/correct.rs"
block simulation rust 3 >"$work/planted.rs"
awk -v planted="$work/planted.rs" '
  /^async fn reconcile/ { inside = 1; while ((getline line < planted) > 0) print line }
  !inside
  inside && /^}/ { inside = 0 }' "$work/correct.rs" >src/main.rs
if cargo test --quiet simulation >"$work/found.log" 2>&1; then
  echo "the planted bug was not found"
  exit 1
fi
grep "a Greeting has at most one ConfigMap" "$work/found.log"
grep "fault: greeter crashes after its write 1 was applied" "$work/found.log"
replay="$(grep -o "SIM_REPLAY='[^']*'" "$work/found.log" | sed -n 1p)"
[[ "$replay" == "SIM_REPLAY='crash-after:greeter:1,steps:1'" ]] || { echo "the replay line is $replay"; exit 1; }
if SIM_REPLAY='crash-after:greeter:1,steps:1' cargo test --quiet simulation >"$work/replayed.log" 2>&1; then
  echo "the replay does not fail"
  exit 1
fi
grep "crashes after write 1" "$work/replayed.log"
cp "$work/correct.rs" src/main.rs
cargo test --quiet simulation
