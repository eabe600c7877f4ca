#!/usr/bin/env bash
# Measures how long `tidings serve` takes until it is ready, and the memory of many servers at the same time.
#
#   ./startup.sh PROGRAM [RUNS] [SERVERS]      such as ./startup.sh ../../target/release/tidings 20 100
#
# With the program of e2e/kubernetes (kube-apiserver and etcd in one process) as KUBERNETES, that one is measured beside it.
set -euo pipefail
program=$(realpath "$1")
runs=${2:-20}
servers=${3:-100}
work=$(mktemp -d)
trap 'jobs -p | xargs -r kill 2>/dev/null || true; rm -rf "$work"' EXIT

milliseconds() { date +%s%3N; }
memory() { awk '/^VmRSS/ {print $2}' "/proc/$1/status"; }
# The CPU time of a process in milliseconds, in steps of 10.
cpu() { awk '{print ($14 + $15) * 10}' "/proc/$1/stat"; }

# once READY COMMAND...: starts the command, waits for the file, prints "milliseconds CPU kilobytes", and ends the command.
once() {
  local ready=$1 started
  shift
  rm -f "$ready"
  started=$(milliseconds)
  "$@" >/dev/null 2>&1 &
  local pid=$!
  until [ -e "$ready" ]; do sleep 0.001; done
  echo "$(($(milliseconds) - started)) $(cpu $pid) $(memory $pid)"
  kill $pid 2>/dev/null
  wait $pid 2>/dev/null || true
}

summary() { sort -n | awk '{t[NR]=$1; c[NR]=$2; m[NR]=$3} END {h=int((NR+1)/2); printf "median %d ms (%d to %d), %d ms of CPU, %.1f MB\n", t[h], t[1], t[NR], c[h], m[h]/1024}'; }

printf '%-42s' "tidings serve, $runs starts:"
for _ in $(seq "$runs"); do once "$work/ready" "$program" serve --kubeconfig "$work/kc" --ready-file "$work/ready"; done | summary
printf '%-42s' "tidings serve --empty, $runs starts:"
for _ in $(seq "$runs"); do once "$work/ready" "$program" serve --empty --kubeconfig "$work/kc" --ready-file "$work/ready"; done | summary

if [ -n "${KUBERNETES:-}" ]; then
  printf '%-42s' "kube-apiserver and etcd, 3 starts:"
  for n in 1 2 3; do once "$work/ready" "$KUBERNETES" -dir "$work/k$n" -port 0 -ready-file "$work/ready"; done | summary
fi

started=$(milliseconds)
for n in $(seq "$servers"); do
  "$program" serve --kubeconfig "$work/kc$n" --ready-file "$work/ready$n" >/dev/null 2>&1 &
  echo $! >> "$work/pids"
done
for n in $(seq "$servers"); do until [ -e "$work/ready$n" ]; do sleep 0.01; done; done
took=$(($(milliseconds) - started))
total=0
while read -r pid; do total=$((total + $(awk '/^Pss:/ {sum += $2} END {print sum}' "/proc/$pid/smaps_rollup"))); done < "$work/pids"
printf '%-42s%d ms until all are ready, %.1f MB each\n' "$servers servers at the same time:" "$took" "$(awk "BEGIN {print $total/$servers/1024}")"
xargs kill < "$work/pids" 2>/dev/null || true
