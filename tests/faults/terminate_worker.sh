#!/usr/bin/env bash
# Workers are told to terminate under load: they deliver what they finish, hand back the rest, exit 0, and no job is
# computed twice.
source "$(dirname "$0")/lib.sh"

start_coordinator
for name in one two three; do start_worker "$name"; done
run=$(create 18 --depth 1)
for name in one two; do
    until_true 60 has_done "$run" $(($(progress "$run" jobs_done) + 50))
    kill -TERM "${workers[$name]}"
    wait "${workers[$name]}" || fail "the worker exited with $?"
    unset "workers[$name]"
done
state_is "$run" running || fail "the run ended too soon for this to show anything"
lent=$(progress "$run" jobs_lent_again) again=$(progress "$run" free_checks)
[ "$lent/$again" = 0/0 ] || fail "after two drains $lent jobs were lent again and $again computed twice"
start_worker four
exact "$run" 666090624
say "SIGTERM to two of three workers under load: both exited 0, no job lent or computed twice"
