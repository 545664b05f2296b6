# SPDX-License-Identifier: Apache-2.0
"""The way back: on disk before the first change, and gone when everything was put back."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from children import children_of
from coalescope_host.settings import Guard, SettingError, restore_all, restore_file
from timeouts import TIMEOUT_S

pytestmark = pytest.mark.network

SWEEP = """
import sys, time
from coalescope_host.settings import Guard, open_host
host = open_host("veth0", None, sys.argv[1])
guard = Guard("veth0", sys.argv[1], hang_s=float(sys.argv[2]))
state = host.save()
guard.arm(state)
host.apply({"mtu_bytes": 4000})
print("armed", flush=True)
mtu_bytes = 4000
while True:
    for _ in range(20):
        guard.feed()
        time.sleep(0.02)
    mtu_bytes += 1
    host.apply({"mtu_bytes": mtu_bytes})
"""


def a_sweep(namespace: Any, hang_s: float) -> subprocess.Popen[str]:
    """A process that changes the interface again and again, guarded."""
    process = subprocess.Popen(
        [sys.executable, "-c", SWEEP, namespace.name, str(hang_s)],
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "armed\n"
    process.stdout.close()
    return process


def soon(condition: Callable[[], bool], seconds: float = TIMEOUT_S) -> bool:
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.05)
    return True


def state_of(pid: int) -> str:
    """As in /proc: "T" is stopped, "Z" has ended."""
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]


def stop_with_its_children_dead(pid: int) -> None:
    """Stop a process and end what it started, its watchdog above all.

    A child that was just forked shares its lock until it is another program, or has ended, which a
    busy machine makes last: so the process stands still first, and they have ended when this
    returns.
    """
    os.kill(pid, signal.SIGSTOP)
    assert soon(lambda: state_of(pid) == "T")
    children = children_of(pid)
    assert children
    for child in children:
        os.kill(child, signal.SIGKILL)
    assert soon(lambda: all(state_of(child) == "Z" for child in children))


def the_file(state_home: Path, namespace: Any) -> Path:
    return state_home / f"{namespace.name}@veth0.json"


def test_a_killed_sweep_is_put_back(namespace: Any, state_home: Path) -> None:
    before = namespace.everything()
    sweep = a_sweep(namespace, 60)
    assert the_file(state_home, namespace).exists()
    assert namespace.mtu_bytes() >= 4000
    sweep.kill()
    sweep.wait()
    assert soon(lambda: not the_file(state_home, namespace).exists())
    assert namespace.everything() == before
    log = the_file(state_home, namespace).with_suffix(".log").read_text()
    assert f"the sweep (process {sweep.pid}) is gone" in log
    assert "put back as it was" in log


def test_a_sweep_that_ends_before_its_watchdog_watches_is_put_back(
    namespace: Any, state_home: Path
) -> None:
    before = namespace.everything()
    restore_file.write(the_file(state_home, namespace), namespace.host().save())
    namespace.host().apply({"mtu_bytes": 4000})
    with subprocess.Popen(["true"]) as sweep:
        pass
    path, nobody = the_file(state_home, namespace), subprocess.DEVNULL
    watchdog = [sys.executable, "-m", "coalescope_host.settings.watchdog"]
    subprocess.run([*watchdog, str(path), "60", str(sweep.pid)], stdin=nobody, check=True)
    assert not path.exists()
    assert namespace.everything() == before


def test_a_sweep_that_hangs_is_ended_and_put_back(namespace: Any, state_home: Path) -> None:
    before = namespace.everything()
    sweep = a_sweep(namespace, 4)
    time.sleep(5)
    assert sweep.poll() is None, "it is fed, so it lives longer than that"
    os.kill(sweep.pid, signal.SIGSTOP)
    assert sweep.wait(TIMEOUT_S) == -signal.SIGKILL, "it could wake up and go on changing"
    assert soon(lambda: not the_file(state_home, namespace).exists())
    assert namespace.everything() == before


def test_it_survives_what_ends_a_terminal(namespace: Any, state_home: Path) -> None:
    sweep = a_sweep(namespace, 60)
    watchdog = int(
        subprocess.run(
            ["pgrep", "-P", str(sweep.pid), "-f", "watchdog"],
            capture_output=True, text=True, check=True,
        ).stdout
    )  # fmt: skip
    assert os.getsid(watchdog) == watchdog != os.getsid(sweep.pid)
    for number in (signal.SIGHUP, signal.SIGINT, signal.SIGTERM):
        os.kill(watchdog, number)
    sweep.kill()
    sweep.wait()
    assert soon(lambda: namespace.mtu_bytes() == 1500)


def test_with_the_watchdog_dead_too_the_state_is_left_for_restore(
    namespace: Any, state_home: Path
) -> None:
    before = namespace.everything()
    sweep = a_sweep(namespace, 60)
    stop_with_its_children_dead(sweep.pid)
    sweep.kill()
    sweep.wait()
    assert namespace.mtu_bytes() >= 4000
    guard = Guard("veth0", namespace.name)
    assert "coalescope-host sweep --restore" in str(guard.stale())
    with pytest.raises(SettingError, match="an earlier sweep ended without putting it back"):
        guard.arm(namespace.host().save())
    assert namespace.mtu_bytes() >= 4000
    assert restore_all() == ["veth0: put back as it was"]
    assert namespace.everything() == before
    assert restore_all() == ["There is nothing to put back."]


def test_nobody_restores_below_a_live_sweep(namespace: Any, state_home: Path) -> None:
    sweep = a_sweep(namespace, 60)
    try:
        with pytest.raises(SettingError, match=rf"now \(process {sweep.pid}\)"):
            restore_all()
        with pytest.raises(SettingError, match=rf"now \(process {sweep.pid}\)"):
            Guard("veth0", namespace.name).arm(namespace.host().save())
        said = str(Guard("veth0", namespace.name).stale())
        assert f"now (process {sweep.pid}); start this when it has ended" in said
        assert "--restore" not in said, "there is nothing to put back while it runs"
        assert namespace.mtu_bytes() >= 4000
    finally:
        sweep.kill()
        sweep.wait()
    assert soon(lambda: namespace.mtu_bytes() == 1500)


def test_one_sweep_at_a_time_on_a_machine(namespace: Any, state_home: Path) -> None:
    """Both would put back governor and sysctl as they found them, which the other may have set."""
    sweep = a_sweep(namespace, 60)
    other, guard = namespace.host("veth1"), Guard("veth1", namespace.name)
    words = rf"another sweep runs on this machine now; .* \(process {sweep.pid}\)"
    try:
        with pytest.raises(SettingError, match=words):
            guard.arm(other.save())
        assert list(state_home.glob("*veth1.json")) == []
        guard.arm(other.save(whole_machine=False))  # as a peer does, of which only the MTU is set
        guard.disarm()
    finally:
        stop_with_its_children_dead(sweep.pid)
        sweep.kill()
        sweep.wait()
    with pytest.raises(SettingError, match="veth0: an earlier sweep ended without putting it back"):
        guard.arm(other.save())
    restore_all()
    guard.arm(other.save())
    guard.disarm()


def test_what_was_put_back_is_not_put_back_again(namespace: Any, state_home: Path) -> None:
    host, guard = namespace.host(), Guard("veth0", namespace.name, hang_s=60)
    state = host.save()
    guard.arm(state)
    host.apply({"mtu_bytes": 4000})
    host.restore(state)
    guard.disarm()
    guard.disarm()
    assert not the_file(state_home, namespace).exists()
    namespace.run("ip", "link", "set", "veth0", "mtu", "2222")
    time.sleep(0.5)
    assert namespace.mtu_bytes() == 2222
    guard.arm(host.save())
    guard.disarm()


def test_the_state_is_private_and_whole(namespace: Any, state_home: Path) -> None:
    path = restore_file.file_of("veth0", namespace.name)
    restore_file.write(path, namespace.host().save())
    assert path.stat().st_mode & 0o77 == 0
    assert state_home.stat().st_mode & 0o77 == 0
    assert [entry.name for entry in state_home.iterdir()] == [path.name]
    assert restore_file.read(path).state == json.loads(json.dumps(namespace.host().save()))


def changed(path: Path, **members: Any) -> None:
    path.write_text(json.dumps({**json.loads(path.read_text()), **members}))


def test_after_a_reboot_only_settings_are_put_back(namespace: Any, state_home: Path) -> None:
    path = restore_file.file_of("veth0", namespace.name)
    restore_file.write(path, namespace.host().save())
    changed(path, boot_id="another")
    namespace.run("ip", "link", "set", "veth0", "mtu", "4000")
    namespace.run("ip", "address", "flush", "dev", "veth0", "scope", "global")
    assert restore_all() == ["veth0: put back as it was"]
    assert namespace.mtu_bytes() == 1500
    assert "10.214.0.1" not in namespace.everything(), "the machine has set up its own"


@pytest.mark.parametrize(
    ("members", "complaint"),
    [
        ({"machine_id": "another"}, "saved on another machine"),
        ({"format": 2}, "written by another version"),
        ({"surprise": 1}, "not a saved state"),
    ],
)
def test_a_state_that_is_not_for_here(
    namespace: Any, state_home: Path, members: dict[str, Any], complaint: str
) -> None:
    path = restore_file.file_of("veth0", namespace.name)
    restore_file.write(path, namespace.host().save())
    changed(path, **members)
    namespace.run("ip", "link", "set", "veth0", "mtu", "4000")
    with pytest.raises(SettingError, match=complaint):
        restore_all()
    assert namespace.mtu_bytes() == 4000
    assert path.exists()


def test_no_change_without_a_place_for_the_way_back(
    namespace: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "file"))
    with pytest.raises(SettingError, match="cannot be written"):
        Guard("veth0", namespace.name).arm(namespace.host().save())


def test_no_change_when_the_disk_is_full(
    namespace: Any, state_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(file: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(SettingError, match="none are changed: No space left on device"):
        Guard("veth0", namespace.name).arm(namespace.host().save())
    assert restore_file.saved_files() == []


AS_NOBODY = """
import os
from coalescope_host.settings import restore_all
os.setgroups([]); os.setgid(65534); os.setuid(65534)
try:
    print(restore_all())
except Exception as error:
    print(error)
"""


def test_who_may_not_see_what_is_saved_is_not_told_that_there_is_nothing(
    namespace: Any, state_home: Path
) -> None:
    for above in state_home.parents:  # up to the folder itself anybody may go
        if above.stat().st_uid == os.geteuid() and above != Path("/tmp"):
            above.chmod(above.stat().st_mode | 0o011)
    restore_file.write(restore_file.file_of("veth0"), namespace.host().save())
    said = subprocess.run(
        [sys.executable, "-c", AS_NOBODY], capture_output=True, text=True, check=True
    ).stdout
    assert said == f"{state_home}: Permission denied: run it with sudo\n"
