# SPDX-License-Identifier: Apache-2.0
"""Text that would steer a terminal, or look like a line of ours, and a server that says it."""

import io
import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Thread

from coalescope_host.run_log import Writer, make_header, standard_field
from coalescope_host.run_log.bounded_json import members

STEERS = "\x1b]0;owned\x07\x1b[2J\x9b31m\u202egnp\rover"
HOSTILE = f"{STEERS}\nFORGED: 12 logs are at http://127.0.0.1"
STEERING = re.compile(
    r"[^\t\n\x20-\x7e\xa1-\u0600\u2010-\u2027\u2030-\u205e\u2190-\ufffd\U0001f300-\U0001faff]"
)
_FORGED = re.compile(r"^\s*FORGED", re.MULTILINE)


def steers(printed: str) -> list[str]:
    """What of the printed text would steer a terminal, or is a line that others wrote."""
    return [*STEERING.findall(printed), *_FORGED.findall(printed)]


def hostile_log() -> bytes:
    """A run log that says it wherever a log may hold a text."""
    names = ("t_monotonic_ns", "t_realtime_ns", "rx_packets")
    fields = [standard_field(name) for name in names]
    fields[2]["unit"] = STEERS
    header = make_header(
        run_id="00000000-0000-4000-8000-000000000001",
        experiment="hostile",
        factors={"workload": {"requested": HOSTILE, "read_back": HOSTILE}},
        fields=fields,
        sources=[{"name": "sysfs", "atomic": False, "version": HOSTILE}],
    )
    header["run"] = {**members(header["run"]), "experiment_title": HOSTILE, "plan": HOSTILE}
    header["created_by"] = {"program": HOSTILE, "version": HOSTILE}
    refused = {HOSTILE: HOSTILE}
    header["environment"] = {
        HOSTILE: {HOSTILE: [HOSTILE]},
        **dict.fromkeys(("interface", "driver", "host", "kernel_version", "cpu_model"), HOSTILE),
        "counter_source": "proc",
        "counter_sources_refused": refused,
        "command": [HOSTILE],
        "notes": refused,
    }
    file = io.BytesIO()
    with Writer(file, header) as written:
        for at in range(3):
            written.sample(at * 1000, at, at)
        written.mark(STEERS, 2000, 2, **refused)
        written.result(b"{}", name=STEERS, media_type=HOSTILE, **refused)
    return file.getvalue()


@contextmanager
def hostile_server() -> Iterator[str]:
    """A server whose reason to refuse a log is hostile; its address."""

    class Refusing(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["Content-Length"]))
            body = json.dumps({"error": {"message": HOSTILE, "advice": HOSTILE}}).encode()
            self.send_response(422)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    with HTTPServer(("127.0.0.1", 0), Refusing) as serving:
        thread = Thread(target=serving.serve_forever, args=(0.05,))
        thread.start()
        yield f"http://127.0.0.1:{serving.server_port}"
        serving.shutdown()
        thread.join()
