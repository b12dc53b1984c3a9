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
for place in $(seq 1 20); do
    cp "$ledger" "$folder/flipped.db"
    # One bit of one result of the open run, wherever the file has that result.
    python3 - "$folder/flipped.db" "$run" <<'PY'
import contextlib, pathlib, random, sqlite3, sys

path, run = pathlib.Path(sys.argv[1]), sys.argv[2]
with contextlib.closing(sqlite3.connect(path)) as ledger:
    query = "SELECT at_ms, seal FROM results WHERE run = ? ORDER BY random() LIMIT 1"
    at_ms, seal = ledger.execute(query, (run,)).fetchone()
# The last two fields of a row as SQLite stores them: big-endian, in the fewest of these bytes.
stored = lambda number: next(number.to_bytes(size, "big") for size in (1, 2, 3, 4, 6) if number < 1 << (8 * size - 1))
fields = bytearray(stored(at_ms) + stored(seal))
flipped = bytearray(fields)
flipped[random.randrange(len(fields))] ^= 1 << random.randrange(8)
content = path.read_bytes()
assert fields in content, "the row is not in the file"
path.write_bytes(content.replace(fields, flipped))
PY
    refused "$folder/flipped.db" "a flipped bit in a result"
done
for part in 2 3 10; do
    head -c $((size - size / part)) "$ledger" >"$folder/short.db"
    refused "$folder/short.db" "a part of $((size - size / part)) of $size bytes"
done
head -c 5000 /dev/urandom >"$folder/random.db"
refused "$folder/random.db" "random bytes"
say "in use, cut short, random, 20 times one bit of a result: each refused with a sentence"
