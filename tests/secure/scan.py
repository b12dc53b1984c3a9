"""Tries every port of this machine's addresses; prints those where somebody listens, one `ADDRESS PORT` a line."""

import socket
import sys

for address in sys.argv[1:]:
    for port in range(1, 65536):
        with socket.socket() as probe:
            if probe.connect_ex((address, port)) == 0:
                print(address, port)
