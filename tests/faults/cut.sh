#!/usr/bin/env bash
# The network between coordinator and workers is cut and comes back: exact, and work goes on by itself. Needs the right to
# make network namespaces.
# cut.sh [SECONDS]
source "$(dirname "$0")/lib.sh"
seconds=${1:-8}
space=nqueens-$$
if ! ip netns add "$space" 2>/dev/null; then
    say "passed over: this user cannot make a network namespace"
    exit 0
fi
cleanups+=("ip netns del $space" "ip link del nq$$ 2>/dev/null")
ip link add "nq$$" type veth peer name nqpeer netns "$space"
ip addr add 10.199.77.1/30 dev "nq$$"
ip link set "nq$$" up
ip -n "$space" addr add 10.199.77.2/30 dev nqpeer
ip -n "$space" link set nqpeer up
worker_in=(ip netns exec "$space")
# An address that nobody but the two of them can reach.
coordinator_flags=(--insecure)
listen=10.199.77.1:$port url=http://10.199.77.1:$port

start_coordinator
start_worker one
start_worker two
run=$(create 18 --depth 1)
until_true 60 has_done "$run" 20
ip -n "$space" link set nqpeer down
sleep "$seconds"
during=$(progress "$run" jobs_done)
ip -n "$space" link set nqpeer up
until_true 90 has_done "$run" $((during + 1))
exact "$run" 666090624
say "cut for $seconds s: exact; $(progress "$run" jobs_lent_again) jobs lent again, $(progress "$run" free_checks) free checks"
