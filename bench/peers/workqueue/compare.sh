#!/usr/bin/env bash
# Both work queues in one run: each case is measured with ours, then with client-go's, round by round, so that whatever
# else the machine does falls on both. Prints, for each case, the median time for one item of either, and the median of
# the rounds' ratios. The argument is the number of rounds, 5 otherwise.
set -euo pipefail
cd "$(dirname "$0")"

rounds="${1:-5}"
items=10000
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT

built="$(cargo bench -p tidings-workqueue --bench queue --no-run --message-format=json)"
ours="$(sed -n 's|.*"executable":"\([^"]*/queue-[^"]*\)".*|\1|p' <<<"$built")"
go test -c -o "$work/theirs" .

cases=()
for kind in strings numbers; do
  for pass in one_by_one backlog/1 flow/1 backlog/4 flow/4; do cases+=("$kind/$pass"); done
done

# The nanoseconds that an item takes.
measure_ours() {
  CRITERION_HOME="$work/criterion" "$ours" --bench --output-format bencher --noplot --nresamples 1000 \
    --sample-size 20 --warm-up-time 0.2 --measurement-time 0.5 "^queue/$1\$" 2>/dev/null |
    awk -v items="$items" '/bench:/ { gsub(",", ""); print $5 / items }'
}

measure_theirs() {
  GOMAXPROCS=2 "$work/theirs" -test.run '^$' -test.benchtime 500ms -test.bench "^BenchmarkQueue\$/^${1//\//\$/^}\$" |
    awk '/^Benchmark/ { print $(NF - 1) }'
}

# Of one figure of a case over its rounds.
median() {
  awk -v name="$1" "\$1 == name { print $2 }" "$work/rounds" | sort -g |
    awk '{ all[NR] = $1 } END { print (all[int((NR + 1) / 2)] + all[int(NR / 2) + 1]) / 2 }'
}

for ((round = 1; round <= rounds; round++)); do
  echo "round $round of $rounds, load $(cut -d ' ' -f 1 /proc/loadavg)" >&2
  for case in "${cases[@]}"; do
    echo "$case $(measure_ours "$case") $(measure_theirs "$case")" >>"$work/rounds"
  done
done

printf '%-20s %10s %10s %6s\n' 'ns for one item' tidings client-go ratio
for case in "${cases[@]}"; do
  printf '%-20s %10.0f %10.0f %6.2f\n' "$case" "$(median "$case" '$2')" "$(median "$case" '$3')" "$(median "$case" '$3 / $2')"
done
