# SPDX-License-Identifier: Apache-2.0
"""python send.py HOST PATH FILE: sends a file by POST and prints the status of the answer."""

import sys
from http.client import HTTPConnection
from pathlib import Path

host, path, name = sys.argv[1:]
connection = HTTPConnection(host)
file = Path(name)
with file.open("rb") as body:
    connection.request("POST", path, body, {"Content-Length": str(file.stat().st_size)})
    print(connection.getresponse().status)
