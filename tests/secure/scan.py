"""Tries every port of this machine's addresses; prints those where somebody listens, one `ADDRESS PORT` a line."""

import socket
import sys

for address in sys.argv[1:]:
    for port in range(1, 65536):
        with socket.socket() as probe:
            # A probe that happens to be sent from the port that it tries meets itself.
            if probe.connect_ex((address, port)) == 0 and probe.getsockname() != probe.getpeername():
                print(address, port)
