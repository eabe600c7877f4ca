# Lanes of .ci/run: functions that run in the background, each with its output in a file. It sources this file.
# shellcheck shell=bash

lane_output="$(mktemp -d)"
declare -A lane_process=()

# Starts a function as a lane. A lane has a process group of its own, so that it can be stopped as a whole.
lane() {
  local name="$1"
  shift
  set -m
  (
    trap - EXIT
    set -euo pipefail
    "$@"
  ) </dev/null >"$lane_output/$name" 2>&1 &
  lane_process["$name"]=$!
  set +m
}

# Waits for a lane, prints its output, and fails if it failed.
await() {
  local name="$1" code=0
  wait "${lane_process["$name"]}" || code=$?
  unset "lane_process[$name]"
  cat "$lane_output/$name"
  return "$code"
}

stop_lanes() {
  local name
  for name in "${!lane_process[@]}"; do
    printf '\n=== stopped: %s\n' "$name"
    tail -n 20 "$lane_output/$name"
    kill -TERM -- "-${lane_process["$name"]}" 2>/dev/null || true
  done
  rm -rf "$lane_output"
}
