# SPDX-License-Identifier: Apache-2.0
"""Send or receive a fixed number of bytes over TCP, in the guest; prints how many."""

import socket
import sys

BYTES = 1_500_000

if sys.argv[1] == "receive":
    server = socket.create_server(("10.9.0.2", 5001))
    connection, _ = server.accept()
    received = 0
    while block := connection.recv(65536):
        received += len(block)
    sys.stdout.write(f"{received}\n")
else:
    connection = socket.create_connection(("10.9.0.2", 5001))
    connection.sendall(bytes(BYTES))
    connection.shutdown(socket.SHUT_WR)
    connection.recv(1)
    sys.stdout.write(f"{BYTES}\n")
