#!/usr/bin/env bash
# Fuzzes every target for some seconds, starting from its corpus: `bash .ci/fuzz.sh 300`. It needs cargo-fuzz and a nightly
# toolchain. All targets run, even if one fails. The failing inputs are in fuzz/artifacts.
set -euo pipefail
cd "$(dirname "$0")/.."
seconds="${1:?how many seconds each target runs}"
failed=()
cp Cargo.lock fuzz/Cargo.lock
for source in fuzz/targets/*.rs; do
  target="$(basename "$source" .rs)"
  # The name of a target consists of its crate and its corpus.
  corpus="crates/tidings-${target%%_*}/corpus/${target#*_}"
  # New inputs are stored apart from those in the repository.
  fresh="fuzz/corpus/$target"
  mkdir -p "$fresh"
  printf '\n=== %s\n' "$target"
  cargo +nightly fuzz run "$target" "$fresh" "$corpus" -- -max_total_time="$seconds" || failed+=("$target")
done
if ((${#failed[@]} > 0)); then
  printf 'these targets failed: %s\n' "${failed[*]}"
  exit 1
fi
