#!/usr/bin/env bash
# The coordinator is killed again and again: exact, and no more than the jobs in flight are computed again.
# kill_coordinator.sh [KILLS]
source "$(dirname "$0")/lib.sh"
kills=${1:-5}

start_coordinator
for name in one two three; do start_worker "$name"; done
run=$(create 18 --depth 1)
seen=0 in_flight=0 made=0
while [ "$made" -lt "$kills" ] && ! state_is "$run" done; do
    until_true 60 has_done "$run" "$((seen + 1))"
    leased=$(progress "$run" jobs_leased)
    in_flight=$((in_flight + leased))
    done_before=$(progress "$run" jobs_done)
    kill_hard "$coordinator"
    made=$((made + 1))
    start_coordinator
    seen=$(ask runs get "$run" --json | field progress jobs_done)
    [ "$seen" -ge "$done_before" ] || fail "$done_before jobs had been done, and after the restart only $seen"
done
exact "$run" 666090624
again=$(progress "$run" free_checks)
[ "$again" -le "$in_flight" ] || fail "$again jobs were computed again, and only $in_flight were in flight"
say "$made kills of the coordinator: exact; $again of $(progress "$run" jobs) jobs computed again, $in_flight were in flight"
