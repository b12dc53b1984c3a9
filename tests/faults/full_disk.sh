#!/usr/bin/env bash
# The ledger's disk is full: the coordinator says so, stores and acknowledges nothing, still answers who asks, and goes on
# by itself when there is room. Needs the right to mount.
source "$(dirname "$0")/lib.sh"
disk=$folder/disk
mkdir "$disk"
if ! mount -t tmpfs -o size=400k tmpfs "$disk" 2>/dev/null; then
    say "passed over: this user cannot mount a small file system"
    exit 0
fi
cleanups+=("umount '$disk'")
ledger=$disk/ledger.db

KERNEL=auto
start_coordinator
start_worker one
readyz() { curl -s -o "$folder/readyz" -w '%{http_code}' "http://$http/readyz"; }
is_ready() { [ "$(readyz)" = 200 ]; }
until_true 60 is_ready
run=$(create 16 --depth 2)
is_full() { grep -q 'the ledger cannot be written' "$folder/coordinator.log"; }
until_true 60 is_full
before=$(progress "$run" jobs_done)
sleep 2
after=$(progress "$run" jobs_done)
[ "$before" = "$after" ] || fail "it took results ($before, then $after) that it could not store"
state_is "$run" running || fail "the run did not wait"
[ "$(readyz)" = 503 ] && grep -q 'the ledger cannot be written' "$folder/readyz" || fail "/readyz says $(cat "$folder/readyz")"
mount -o remount,size=256m "$disk"
exact "$run" 14772512
is_ready || fail "/readyz says $(cat "$folder/readyz") although there is room"
say "full after $before of $(progress "$run" jobs) results: it waited, was not ready, answered, and went on: exact"
