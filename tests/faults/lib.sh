# What the fault scripts share: a cluster of real processes in a folder of its own, all of which end with the script.
# Source it. NQUEENS names the program (default: the release build of this checkout).

set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
NQUEENS=${NQUEENS:-${CARGO_TARGET_DIR:-$root/target}/release/nqueens}
lease=${LEASE:-2}
# A coordinator that reads a long ledger again on a busy machine takes its time.
export NQUEENS_CONNECT_TIMEOUT=60
folder=$(mktemp -d)
ledger=$folder/ledger.db
free_port() { python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'; }
port=$(free_port)
url=http://127.0.0.1:$port
http=127.0.0.1:$(free_port)
coordinator=
declare -A workers=()
cleanups=()
# Lets a script put something before each process, such as `ip netns exec`.
coordinator_in=() worker_in=() client_in=() coordinator_flags=()
listen=127.0.0.1:$port

end_all() {
    local pid cleanup
    for pid in $coordinator "${workers[@]}"; do
        kill -CONT "$pid" 2>/dev/null || true
        kill_hard "$pid"
    done
    for cleanup in "${cleanups[@]}"; do eval "$cleanup" || true; done
    rm -rf "$folder"
}
trap end_all EXIT

say() { printf '   %s\n' "$*"; }
fail() { printf 'FAILED: %s\n' "$*" >&2; tail -n 5 "$folder"/*.log >&2 2>/dev/null || true; exit 1; }

ask() { "${client_in[@]}" "$NQUEENS" "$@" --coordinator "$url"; }

# Prints a field of the JSON on stdin: field progress jobs_done
field() {
    python3 -c 'import json, sys
value = json.load(sys.stdin)
for name in sys.argv[1:]: value = value[name]
print(value)' "$@"
}

start_coordinator() {
    "${coordinator_in[@]}" "$NQUEENS" coordinator --listen "$listen" --ledger "$ledger" --lease-seconds "$lease" \
        --http "$http" "${coordinator_flags[@]}" 2>>"$folder/coordinator.log" &
    coordinator=$!
}

# start_worker NAME: scalar, so that small boards take a while.
start_worker() {
    "${worker_in[@]}" "$NQUEENS" worker --threads 1 --kernel "${KERNEL:-scalar}" --name "$1" --coordinator "$url" \
        2>>"$folder/$1.log" &
    workers[$1]=$!
}

kill_hard() { kill -KILL "$1" 2>/dev/null || true; wait "$1" 2>/dev/null || true; }

# until_true SECONDS COMMAND...: waits until the command succeeds.
until_true() {
    local end=$((SECONDS + $1))
    shift
    until "$@"; do
        [ "$SECONDS" -lt "$end" ] || fail "this never came true: $*"
        sleep 0.1
    done
}

create() { ask runs create count "$@" --json | field run_id; }
progress() { ask runs get "$1" --json | field progress "$2"; }
has_done() { [ "$(progress "$1" jobs_done)" -ge "$2" ]; }
state_is() { [ "$(ask runs get "$1" --json | field state)" = "$2" ]; }

# exact RUN ANSWER: waits for the end of the run; the answer is right, and the ledger proves it.
exact() {
    ask runs watch "$1" 2>/dev/null | grep "= $2\$" >/dev/null || fail "run $1 did not come to $2"
    ask runs verify "$1" >/dev/null || fail "run $1 cannot be verified"
    [ "$(progress "$1" alarms)" = 0 ] || fail "run $1 has alarms"
}
