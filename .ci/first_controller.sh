#!/usr/bin/env bash
# Follows docs/controllers.md exactly: creates the crate from its code blocks, tests it, runs it, and uses it with kubectl.
set -euo pipefail
cd "$(dirname "$0")/.."
root="$PWD"
page="$root/docs/controllers.md"
work="$(mktemp -d)"
started=()
cleanup() {
  for pid in "${started[@]}"; do kill "$pid" 2>/dev/null || true; done
  rm -rf "$work"
}
trap cleanup EXIT

# The n-th block of a language.
block() {
  awk -v language="$1" -v wanted="$2" '
    $0 == "```" && inside { inside = 0; next }
    $0 == "```" language { seen++; if (seen == wanted) { inside = 1; next } }
    inside' "$page"
}

# Waits for a condition, and fails if it does not become true.
await() {
  local what="$1" tries=600
  shift
  until "$@" >/dev/null 2>&1; do
    ((tries-- > 0)) || { echo "timed out waiting until $what"; exit 1; }
    sleep 0.1
  done
}

cd "$work"
cargo new --quiet --vcs none greeter
cd greeter
sed -i '/^\[dependencies\]/,$d' Cargo.toml
# The clone is not next to the crate here.
block toml 1 | sed "s|\.\./tidings|$root|" >>Cargo.toml
block rust 1 >src/main.rs
block rust 2 >src/tests.rs
cp "$root/Cargo.lock" .
cargo test --quiet

# The commands of the page, with a free port and a temporary folder.
kubeconfig="$work/greeter.kubeconfig"
cargo build --quiet
[[ -x "$CARGO_TARGET_DIR/debug/tidings" ]] || (cd "$root" && cargo build --quiet --workspace --bin tidings)
"$CARGO_TARGET_DIR/debug/tidings" serve --kubeconfig "$kubeconfig" &
started+=($!)
await "the server answers" test -s "$kubeconfig"
export KUBECONFIG="$kubeconfig"
"$CARGO_TARGET_DIR/debug/greeter" &
controller=$!
started+=("$controller")
await "the controller is ready" curl --fail --silent http://127.0.0.1:8080/readyz
used="$(block sh 5 | grep -v KUBECONFIG)"
say() { kubectl get configmap hi -o jsonpath='{.data.text}'; }
says_hello() { [[ "$(say)" == "hello, you" ]]; }
eval "$(sed '/^YAML$/q' <<<"$used")"
await "the ConfigMap says hello" says_hello
kubectl delete configmap hi
await "the ConfigMap is back" says_hello
kubectl get events | grep Greeted
kill -TERM "$controller"
wait "$controller"
