# SPDX-License-Identifier: Apache-2.0
"""Files of the kernel modules include each other's headers in one direction."""

import re
from graphlib import CycleError, TopologicalSorter

import pytest
from guest.folders import HERE

MODULES = {"module": HERE.parent / "module", "testbed": HERE.parent / "testbed/module"}


def includes(folder):
    """Each source file with its header → those of others that it needs."""
    names = {path.stem for path in folder.glob("*.c")}
    found = {name: set() for name in names}
    for path in (*folder.glob("*.c"), *folder.glob("*.h")):
        needed = re.findall(r'^#include "(\w+)\.h"$', path.read_text(), re.MULTILINE)
        found.setdefault(path.stem, set()).update(set(needed) - {path.stem})
    return found


@pytest.mark.parametrize("module", MODULES)
def test_files_need_each_other_in_one_direction(module):
    TopologicalSorter(includes(MODULES[module])).prepare()


def test_files_that_need_each_other_are_noticed(tmp_path):
    for one, other in (("a", "b"), ("b", "c"), ("c", "a")):
        (tmp_path / f"{one}.c").write_text(f'#include "{one}.h"\n#include "{other}.h"\n')
        (tmp_path / f"{one}.h").write_text("")
    with pytest.raises(CycleError):
        TopologicalSorter(includes(tmp_path)).prepare()


#: Where probes are waited for.
WAITS = re.compile(r"(?:\w+\([^;{}]*\);\s*)*synchronize_rcu\(\);")


@pytest.mark.fault("F7")
def test_who_waits_for_probes_waits_for_those_of_tracepoints_too():
    """These run under SRCU since Linux 7: RCU's own grace period does not wait for them."""
    sources = [path.read_text() for path in MODULES["module"].glob("*.c")]
    waits = [wait for source in sources for wait in WAITS.findall(source)]
    assert waits
    assert all("tracepoint_synchronize_unregister();" in wait for wait in waits)
