# SPDX-License-Identifier: Apache-2.0
"""Five hundred connections that take their time: heads that trickle, bodies that trickle, and
answers that nobody takes, over and over, each at moments of its own.

A program of its own, so that what it does is not in the way of the one that measures.
"""

import asyncio
import random
import sys

SLOW = 500


async def dawdle(host: str, port: int, number: int) -> None:
    named = f"Host: {host}:{port}\r\n".encode()
    heads = [
        b"GET / HTTP/1.1\r\n" + named + b"X-",
        b"POST /api/uploads?filename=x HTTP/1.1\r\n" + named + b"Content-Length: 100000\r\n\r\n",
        b"GET /api/models HTTP/1.1\r\n" + named + b"\r\n",
    ]
    await asyncio.sleep(2 * random.random())
    while True:
        try:
            _, writer = await asyncio.open_connection(host, port)
        except OSError:
            await asyncio.sleep(1)
            continue
        try:
            writer.write(heads[number % 3])
            while not writer.is_closing():
                await asyncio.sleep(0.5 + random.random())
                writer.write(b"x" if number % 3 < 2 else b"")
                await writer.drain()
        except OSError:
            pass
        finally:
            writer.close()


async def main(host: str, port: int) -> None:
    await asyncio.gather(*(dawdle(host, port, number) for number in range(SLOW)))


asyncio.run(main(sys.argv[1], int(sys.argv[2])))
