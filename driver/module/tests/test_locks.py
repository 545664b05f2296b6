# SPDX-License-Identifier: Apache-2.0
"""A function that is called without the lock that it needs says so in the kernel's log.

Debian's kernels are built without lockdep, so that `lockdep_assert_held()` is silent in them;
`ASSERT_RTNL()` is not. Each mutant leaves rtnl out in one place; the module itself says nothing.
"""

import re
import shutil
from pathlib import Path

import pytest
from guest.machine import Guest, Result
from guest.versions import VERSIONS

MODULE = Path(__file__).resolve().parents[1]
INCLUDE = MODULE.parent / "include"
SAID = re.compile(r"(RTNL: assertion failed at|WARNING:) .*monitor\.c")
LOCKED = re.compile(r"^\trtnl_lock\(\);\n(.*?)^\trtnl_unlock\(\);\n", re.MULTILINE | re.DOTALL)
FUNCTIONS = {"monitor_get": " * monitor_get(", "monitor_put": " * monitor_put("}
"""Those that take rtnl → how the comment above each begins."""
SCRIPT = """
ip link set lo up
insmod /coalescope.ko
snapshots hold lo 100000 10000 & watcher=$!
until grep -q "^lo " /sys/class/misc/coalescope/interfaces; do sleep 0.1; done
snapshots show lo >/out/watched
kill $watcher; wait $watcher || true
sleep 0.5
"""

pytestmark = [pytest.mark.guest, pytest.mark.parametrize("kernel", VERSIONS, indirect=True)]


def without_rtnl(function: str, into: Path) -> Path:
    """The module's sources; this function of monitor.c does not take rtnl."""
    shutil.copytree(MODULE, into, ignore=shutil.ignore_patterns("tests"))
    source = into / "monitor.c"
    before, start, after = source.read_text().partition(FUNCTIONS[function])
    assert start
    unlocked, count = LOCKED.subn(r"\1", after, count=1)
    assert count == 1
    source.write_text(before + start + unlocked)
    return into


def watched(kernel, built, module: Path, output: Path, *, check: bool = True) -> Result:
    files = {"/coalescope.ko": module, "/bin/snapshots": built.snapshots}
    return Guest(kernel=kernel, files=files).run(SCRIPT, output, check=check)


def test_the_module_itself_holds_it(kernel, built, tmp_path):
    result = watched(kernel, built, built.module, tmp_path)
    assert "rx_packets=" in result.text("watched")
    assert result.kernel_trouble() == []


@pytest.mark.parametrize("function", FUNCTIONS)
def test_a_function_without_rtnl_is_caught(kernel, built, tmp_path, function):
    sources = without_rtnl(function, tmp_path / "sources")
    include = f"COALESCOPE_INCLUDE={INCLUDE}"
    module = kernel.build(sources, tmp_path / "built", include)[0]
    said = watched(kernel, built, module, tmp_path / "out", check=False).kernel_log
    assert SAID.search(said)
