# SPDX-License-Identifier: Apache-2.0
"""A peer that takes the host tools, greets as an agent does, and then does what the test says.

The first argument is Python that is executed: `say(bytes)` writes to standard output, `request()`
is the next request, `greet()` takes the tools and greets. The last is the command line for a shell.
"""

import json
import os
import re
import sys
import time
from typing import Any


def say(content: bytes) -> None:
    """Write all of it, or end where nobody reads."""
    try:
        while content:
            content = content[os.write(1, content) :]
    except OSError:
        os._exit(0)


def request() -> dict[str, Any]:
    """The next request that wants an answer."""
    while line := sys.stdin.buffer.readline():
        asked: dict[str, Any] = json.loads(line)
        if asked["do"] != "feed":
            return asked
    os._exit(0)


def value(asked: dict[str, Any], content: object) -> None:
    """Answer as an agent does."""
    say(json.dumps({"id": asked["id"], "value": content}).encode() + b"\n")


def greet() -> None:
    """Take the host tools, and answer to hello."""
    found = re.search(r"left = (\d+)", sys.argv[-1])
    assert found is not None
    sys.stdin.buffer.read(int(found[1]))
    value(request(), {"protocol": 1, "python": "3.13", "uid": 0})


if __name__ == "__main__":
    exec(sys.argv[1], {**globals(), "time": time})
