#!/usr/bin/env bash
# A worker stands still for three lease periods and goes on: exact, and what it delivers late is a free check.
source "$(dirname "$0")/lib.sh"

start_coordinator
start_worker one
start_worker two
run=$(create 17)
until_true 60 has_done "$run" 20
kill -STOP "${workers[one]}"
sleep $((3 * lease))
kill -CONT "${workers[one]}"
exact "$run" 95815104
again=$(progress "$run" free_checks)
say "SIGSTOP for $((3 * lease)) s: exact; $(progress "$run" jobs_lent_again) jobs lent again, $again late results were free checks"
