#!/usr/bin/env bash
# A random process of a cluster is killed every second and started again: every run comes out exact.
# kill_any.sh [KILLS]; ALGORITHM=columns for the other algorithm, with its audits.
source "$(dirname "$0")/lib.sh"
kills=${1:-8} n=${N:-17} answer=${ANSWER:-95815104} algorithm=${ALGORITHM:-cross}

start_coordinator
for name in one two three; do start_worker "$name"; done
made=0 runs=0
while [ "$made" -lt "$kills" ]; do
    run=$(create "$n" --request-id "run-$runs" --algorithm "$algorithm" --audit "${AUDIT:-0}" || true)
    [ -n "$run" ] || continue
    while [ "$made" -lt "$kills" ] && ! state_is "$run" done 2>/dev/null; do
        sleep 1
        names=(coordinator one two three)
        name=${names[RANDOM % 4]}
        if [ "$name" = coordinator ]; then
            kill_hard "$coordinator"
            start_coordinator
        else
            kill_hard "${workers[$name]}"
            start_worker "$name"
        fi
        made=$((made + 1))
    done
    exact "$run" "$answer"
    runs=$((runs + 1))
done
say "$made kills, $runs runs of n=$n by $algorithm, all exact and verified"
