# SPDX-License-Identifier: Apache-2.0
"""Standard input and output to a TCP port: ssh's way into a namespace (`ProxyCommand`)."""

import os
import select
import socket
import sys

with socket.create_connection((sys.argv[1], int(sys.argv[2])), timeout=10) as connection:
    connection.settimeout(None)
    open_ends = [0, connection.fileno()]
    while len(open_ends) == 2:
        for readable in select.select(open_ends, [], [])[0]:
            chunk = os.read(readable, 1 << 16)
            if not chunk:
                open_ends.remove(readable)
                break
            if readable:
                sys.stdout.buffer.write(chunk)
                sys.stdout.buffer.flush()
            else:
                connection.sendall(chunk)
