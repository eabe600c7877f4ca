#!/usr/bin/env bash
# Fuzzes targets for some seconds each, starting from their corpus: `bash .ci/fuzz.sh 300` for all of them,
# `bash .ci/fuzz.sh 300 object_identity source_status` for some. It needs cargo-fuzz and a nightly toolchain. All targets
# run, even if one fails. The failing inputs are in fuzz/artifacts.
set -euo pipefail
cd "$(dirname "$0")/.."
seconds="${1:?how many seconds each target runs}"
shift
targets=("$@")
if ((${#targets[@]} == 0)); then
  mapfile -t targets < <(basename -s .rs fuzz/targets/*.rs)
fi
failed=()
cp Cargo.lock fuzz/Cargo.lock
for target in "${targets[@]}"; do
  # The name of a target consists of its crate and its corpus.
  corpus="crates/tidings-${target%%_*}/corpus/${target#*_}"
  # New inputs are stored apart from those in the repository.
  fresh="fuzz/corpus/$target"
  mkdir -p "$fresh"
  printf '\n=== %s\n' "$target"
  # Without a sanitizer: unsafe code is forbidden, and the targets run several times as fast.
  cargo +nightly fuzz run --sanitizer none "$target" "$fresh" "$corpus" -- -max_total_time="$seconds" -timeout=30 \
    || failed+=("$target")
done
if ((${#failed[@]} > 0)); then
  printf 'these targets failed: %s\n' "${failed[*]}"
  exit 1
fi
