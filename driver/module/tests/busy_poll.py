# SPDX-License-Identifier: Apache-2.0
"""Send frames to the card e3 one by one, each received by a socket that polls the card itself."""

import socket
import struct
import sys

SO_BUSY_POLL, SO_PREFER_BUSY_POLL = 46, 69
prefer, count = int(sys.argv[1]), int(sys.argv[2])

receiver = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
receiver.bind(("10.3.0.1", 5002))
receiver.setsockopt(socket.SOL_SOCKET, SO_BUSY_POLL, 20_000)
receiver.setsockopt(socket.SOL_SOCKET, SO_PREFER_BUSY_POLL, prefer)
receiver.settimeout(2)

payload = bytes(400)
udp = struct.pack("!HHHH", 5003, 5002, 8 + len(payload), 0)
addresses = socket.inet_aton("10.3.0.9") + socket.inet_aton("10.3.0.1")
ip = struct.pack("!BBHHHBBH", 0x45, 0, 28 + len(payload), 0, 0, 64, 17, 0) + addresses
words = sum(struct.unpack("!10H", ip))
checksum = ~((words & 0xFFFF) + (words >> 16)) & 0xFFFF
ip = ip[:10] + struct.pack("!H", checksum) + ip[12:]
frame = bytes.fromhex("525400000004 525400000003 0800") + ip + udp + payload

sender = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)
sender.bind(("e2", 0))
received = 0
for _ in range(count):
    sender.send(frame)
    try:
        receiver.recv(2048)
        received += 1
    except TimeoutError:
        pass
sys.stdout.write(f"received={received}\n")
