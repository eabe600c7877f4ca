#!/usr/bin/env bash
# Compares the public interface of the library crates with docs/api/*.txt: a change of the interface shows in review.
# `bash .ci/public_api.sh --write` writes the files. It needs cargo-public-api.
set -euo pipefail
cd "$(dirname "$0")/.."
folder=docs/api
target="${CARGO_TARGET_DIR:-target}"
scratch="$(mktemp -d)"
trap 'rm -rf "$scratch"' EXIT

# The JSON of rustdoc is unstable. The variable is set for rustdoc alone: set for all, it would rebuild every dependency.
printf '#!/bin/sh\nRUSTC_BOOTSTRAP=1 exec rustdoc "$@"\n' >"$scratch/rustdoc"
chmod +x "$scratch/rustdoc"

crates=()
for manifest in crates/*/Cargo.toml; do
  crate="$(basename "$(dirname "$manifest")")"
  case "$crate" in
    tidings-bench | tidings-cli | tidings-simulation | tidings-test-types) ;; # programs and tests
    *) crates+=("$crate") ;;
  esac
done

RUSTDOC="$scratch/rustdoc" RUSTDOCFLAGS="-Zunstable-options --output-format json --cap-lints allow" \
  K8S_OPENAPI_ENABLED_VERSION=1.37 \
  cargo doc --locked --quiet --no-deps --lib "${crates[@]/#/--package=}"

failed=0
for crate in "${crates[@]}"; do
  # Without blanket and derived implementations: they add lines that say nothing.
  cargo public-api --rustdoc-json "$target/doc/${crate//-/_}.json" -sss >"$scratch/$crate.txt"
  if [[ "${1:-}" == --write ]]; then
    mkdir -p "$folder"
    cp "$scratch/$crate.txt" "$folder/"
  elif ! diff -u "$folder/$crate.txt" "$scratch/$crate.txt"; then
    failed=1
  fi
done
if ((failed)); then
  printf 'the public interface has changed: if that is meant, run bash .ci/public_api.sh --write\n'
  exit 1
fi
cat "$scratch"/*.txt | wc -l | sed 's/$/ public items/'
