# SPDX-License-Identifier: Apache-2.0
"""What README and manuals let somebody with two hosts type, on a cable between namespaces.

A server answers where they say, on the namespace's own loopback. Runs are few and short.
"""

import subprocess
import sys
from collections.abc import Iterator

import pytest
from manuals import fence
from timeouts import TIMEOUT_S, wait_until

from .hosts_on_a_cable import INTERFACE, Hosts, SshPeer

pytestmark = [pytest.mark.network, pytest.mark.soak]  # a minute of CPU time

SHORT = " --duration 0.3 --replicates 1\n"


@pytest.fixture(scope="module")
def server(lab: SshPeer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """It has an empty store, and answers at http://127.0.0.1:8000 of the host under test."""
    serve = (sys.executable, "-m", "coalescope", "serve")
    process = subprocess.Popen(
        ["ip", "netns", "exec", lab.here, "env", "COALESCOPE_DATASETS_DIR=.", *serve],
        cwd=tmp_path_factory.mktemp("server"),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    wait_until(lambda: lab.inside(lab.here, "ss", "-Htln", "sport = :8000"), "nobody answers")
    yield
    process.terminate()
    process.wait(TIMEOUT_S)


@pytest.mark.usefixtures("server")
def test_a_sweep_from_a_checkout(hosts: Hosts) -> None:
    typed = fence("README.md", "make traffic").replace("\n", SHORT).replace(SHORT, "\n", 1)
    done = hosts.type(typed)
    assert done.returncode == 0, done.stderr
    assert f"{INTERFACE} can be done: 4 cells, 4 runs," in done.stdout
    assert "Nothing was changed." in done.stdout
    assert "4 of 4 runs done, 0 failed." in done.stderr
    assert "4 logs are at http://127.0.0.1:8000." in done.stderr


@pytest.mark.usefixtures("server")
def test_a_plan_is_looked_at_swept_put_back_and_sent(hosts: Hosts) -> None:
    hosts.plan('mtu_bytes = [4000]\nworkload = ["udp", "tcp"]', experiment='"my-lab"')
    done = hosts.type(fence("docs/sweep.md", "sudo ./coalescope-host.pyz sweep"))
    assert done.returncode == 0, done.stderr
    assert "2 of 2 runs done, 0 failed." in done.stderr
    assert "2 logs are at http://127.0.0.1:8000." in done.stderr
    back = hosts.type(fence("docs/sweep.md", "sudo ./coalescope-host.pyz restore"))
    assert back.returncode == 0, back.stderr
    again = hosts.type(fence("docs/sweep.md", "./coalescope-host.pyz upload"))
    assert again.returncode == 0, again.stderr
    assert again.stdout.count("known") == 2


def test_a_tuning(hosts: Hosts) -> None:
    """A veth has no delay: it chooses among MTUs."""
    typed = fence("docs/tune.md", "sudo coalescope-host tune").rstrip()
    done = hosts.type(f"{typed} --mtu 1500,4000 --duration 0.3 --budget 4")
    assert done.returncode in (0, 1), done.stderr
    assert done.stdout.startswith("Asked: least "), done.stderr
    assert "cpu at most 30 %" in done.stderr
