#!/usr/bin/env bash
# A ledger that is damaged, cut short or in use is refused with a sentence, and left as it is.
source "$(dirname "$0")/lib.sh"

KERNEL=auto
start_coordinator
start_worker one
run=$(create 12 --depth 3)
exact "$run" 14200
second=$("$NQUEENS" coordinator --listen 127.0.0.1:0 --ledger "$ledger" 2>&1) && fail "two coordinators serve one ledger"
grep -q 'in use by another coordinator' <<<"$second" || fail "the second coordinator said: $second"
run=$(create 19 --depth 2)
until_true 60 has_done "$run" 200
kill -TERM "$coordinator"
wait "$coordinator" || fail "the coordinator exited with $?"

# refused FILE WHAT: a coordinator on the file ends with a sentence, and the file stays as it was.
refused() {
    local sum said
    sum=$(md5sum <"$1")
    said=$(timeout 60 "$NQUEENS" coordinator --listen 127.0.0.1:0 --ledger "$1" 2>&1) && fail "a ledger with $2 was taken"
    grep -qiE 'damaged|not a ledger' <<<"$said" || fail "about $2 it said: $said"
    grep -qi panicked <<<"$said" && fail "about $2 it panicked: $said"
    [ "$sum" = "$(md5sum <"$1")" ] || fail "the ledger with $2 was changed"
}

size=$(stat -c %s "$ledger")
flips=0
for place in $(seq 1 20); do
    cp "$ledger" "$folder/flipped.db"
    # Bytes inside of rows of results: the last pages are full of them.
    at=$((size - RANDOM % (size / 3) - 1))
    python3 - "$folder/flipped.db" "$at" <<'PY'
import sys
path, at = sys.argv[1], int(sys.argv[2])
with open(path, "r+b") as file:
    file.seek(at); byte = file.read(1)[0]
    file.seek(at); file.write(bytes([byte ^ 0x10]))
PY
    # A byte of free space may flip without harm; then the ledger must still be whole.
    if said=$(timeout 2 "$NQUEENS" coordinator --listen 127.0.0.1:0 --ledger "$folder/flipped.db" 2>&1); then code=0; else code=$?; fi
    if [ "$code" = 1 ]; then
        grep -qi 'damaged' <<<"$said" || fail "about a flipped byte at $at it said: $said"
        flips=$((flips + 1))
    elif [ "$code" != 124 ] && [ "$code" != 0 ]; then
        fail "with a flipped byte at $at it ended with $code: $said"
    fi
done
[ "$flips" -ge 5 ] || fail "only $flips of 20 flipped bytes were noticed"
for part in 2 3 10; do
    head -c $((size - size / part)) "$ledger" >"$folder/short.db"
    refused "$folder/short.db" "a part of $((size - size / part)) of $size bytes"
done
head -c 5000 /dev/urandom >"$folder/random.db"
refused "$folder/random.db" "random bytes"
say "in use, cut short, random: refused with a sentence; $flips of 20 flipped bytes were in use, and noticed"
