#!/usr/bin/env bash
# Fuzzes every target for so many seconds each, from its corpus on: `bash .ci/fuzz.sh 300`. It needs cargo-fuzz and a
# nightly toolchain. All targets run, whatever is found; the inputs that were found are in fuzz/artifacts.
set -euo pipefail
cd "$(dirname "$0")/.."
seconds="${1:?how many seconds each target runs}"
failed=()
cp Cargo.lock fuzz/Cargo.lock
for source in fuzz/targets/*.rs; do
  target="$(basename "$source" .rs)"
  # A target is named for its crate and the corpus there that it starts from.
  corpus="crates/tidings-${target%%_*}/corpus/${target#*_}"
  # What is new is kept apart from what is in the repository.
  fresh="fuzz/corpus/$target"
  mkdir -p "$fresh"
  printf '\n=== %s\n' "$target"
  cargo +nightly fuzz run "$target" "$fresh" "$corpus" -- -max_total_time="$seconds" || failed+=("$target")
done
if ((${#failed[@]} > 0)); then
  printf 'found something in: %s\n' "${failed[*]}"
  exit 1
fi
