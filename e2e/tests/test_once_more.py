# SPDX-License-Identifier: Apache-2.0
"""A failure is run once more where others disturbed it, and nowhere else."""

import os
import shlex
import subprocess
import sys
from pathlib import Path

import disturbance
import once_more
import pytest
from disturbance import CpuTimes
from timeouts import wait_until

ROOT = Path(__file__).parents[2]
TWO_WORKERS = ["-n", "2"]
each_way = pytest.mark.parametrize("options", [[], TWO_WORKERS], ids=["alone", "workers"])

#: What disturbs is told by a fixture here, and not by what else the machine does.
PRETENDED = """
import once_more, pytest

class Watch:
    others = ""
    def __init__(self, root):
        pass
    def said(self):
        return Watch.others

once_more.Watch = Watch

@pytest.fixture
def others():
    Watch.others = "other processes used 143 % of a CPU"
    yield
    Watch.others = ""

@pytest.fixture(scope="module")
def made_beside_others():
    Watch.others = "the hypervisor took 5 % of a CPU"
    yield "made"
    Watch.others = ""

@pytest.fixture
def quiet_now():
    Watch.others = ""
"""
#: The second time it passes.
FAILS_ONCE = """
from pathlib import Path

def test_fails_once(others):
    again = Path("begun").exists()
    Path("begun").touch()
    assert again
"""
FAILS_DISTURBED = "def test_disturbed(others): assert not 'disturbed'\n"
FAILS = "def test_undisturbed(): assert not 'undisturbed'\n"
PASSES = "def test_passes(others): pass\n"
#: The machine as it would be if nothing but the test run had its CPUs.
NOTHING_ELSE = """
import os, disturbance

RUN = os.getppid() if "PYTEST_XDIST_WORKER" in os.environ else os.getpid()
disturbance._of_machine_s = lambda: (disturbance.own_s(RUN), 0.0)
"""
BURNS = """
import subprocess, sys
from pathlib import Path

def test_burns():
    burns = "import time\\nwhile time.process_time() < 1.0: pass"
    subprocess.run([sys.executable, "-c", burns], check=True)
    Path("burnt").touch()
"""
FAILS_BESIDE = """
from pathlib import Path
from timeouts import wait_until

def test_fails_beside_a_worker():
    wait_until(Path("burnt").exists, "the other worker does not end")
    assert False
"""


@pytest.fixture
def suite(pytester, monkeypatch):
    """Makes a folder of tests; runs them with the plugin, in a process of its own."""
    monkeypatch.setenv("PYTHONPATH", str(ROOT / "e2e/lab"))
    monkeypatch.setenv("PYTEST_ADDOPTS", "-p xdist -p once_more --max-worker-restart 0")
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")  # some take seconds to load
    pytester.makeconftest(PRETENDED)
    pytester.makeini("[pytest]\n")

    def run(*arguments, **files):
        pytester.makepyfile(**files)
        return pytester.runpytest_subprocess(*arguments)

    return run


@pytest.fixture
def make(suite, pytester):
    """The Makefile's way to run tests: status and what was said."""

    def run(options, **files):
        pytester.makepyfile(**files)
        command = shlex.join([sys.executable, "-m", "pytest", *options])
        recipe = f"$(call disturbed_once_more,.,{command})"
        environment = {k: v for k, v in os.environ.items() if k not in {"MAKEFLAGS", "MAKELEVEL"}}
        done = subprocess.run(
            ["make", "-s", "-f", ROOT / "Makefile", f"--eval=probe: ; @{recipe}", "probe"],
            cwd=pytester.path,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        return done.returncode, done.stdout

    return run


@each_way
def test_what_failed_while_disturbed_is_listed_and_said(suite, options):
    done = suite(*options, "--list-disturbed=some/list", test_it=FAILS_DISTURBED + PASSES)
    assert done.ret == once_more.DISTURBED
    assert Path("some/list").read_text() == "test_it.py::test_disturbed\n"
    words = "test_it.py::test_disturbed failed while other processes used 143 % of a CPU"
    assert f"{words}: once more, alone" in done.outlines


@each_way
def test_one_that_nothing_disturbed_leaves_the_failure(suite, options):
    done = suite(*options, "--list-disturbed=list", test_it=FAILS_DISTURBED, test_other=FAILS)
    assert done.ret == 1
    assert not Path("list").exists()
    assert "not once more, as others failed undisturbed" in done.stdout.str()


def test_without_a_list_the_status_stays(suite):
    done = suite(test_it=FAILS_DISTURBED)
    assert done.ret == 1
    assert "test_it.py::test_disturbed failed while other processes used 143 % of a CPU" in (
        done.outlines
    )


def test_a_file_that_cannot_be_read_is_no_disturbed_failure(suite):
    for options in ([], TWO_WORKERS):
        done = suite(*options, "--list-disturbed=list", test_it="import no_such_module")
        assert done.ret not in {0, once_more.DISTURBED}


def test_a_worker_that_dies_is_no_disturbed_failure(suite):
    dies = "import os\ndef test_it(others): os._exit(1)\n"
    assert suite(*TWO_WORKERS, "--list-disturbed=list", test_it=dies).ret == 1


def test_what_disturbed_a_shared_fixture_disturbed_the_tests_that_use_it(suite):
    uses = "def test_uses(made_beside_others, quiet_now): assert made_beside_others == ''\n"
    done = suite("--list-disturbed=list", test_it=uses)
    assert done.ret == once_more.DISTURBED
    said = "failed after the hypervisor took 5 % of a CPU while made_beside_others was set up"
    assert f"test_it.py::test_uses {said}: once more, alone" in done.outlines
    beside = "def test_beside(quiet_now): assert False\n"
    passes = uses.replace("== ''", "")
    assert suite("--list-disturbed=list", test_it=passes + beside).ret == 1


def test_workers_of_one_run_do_not_disturb_each_other(suite, pytester):
    """Nor does what they began."""
    pytester.makeconftest(NOTHING_ELSE)
    done = suite(*TWO_WORKERS, "--list-disturbed=list", test_a=BURNS, test_b=FAILS_BESIDE)
    done.assert_outcomes(passed=1, failed=1)
    assert done.ret == 1
    assert not Path("list").exists()


def test_they_do_where_each_is_measured_beside_the_others(suite, pytester):
    pytester.makeconftest(NOTHING_ELSE)
    options = [*TWO_WORKERS, "--workers-disturb", "--list-disturbed=list"]
    done = suite(*options, test_a=BURNS, test_b=FAILS_BESIDE)
    done.assert_outcomes(passed=1, failed=1)
    assert done.ret == once_more.DISTURBED
    assert Path("list").read_text().startswith("test_b.py::")


@each_way
def test_make_passes_where_what_was_disturbed_passes_alone(make, options):
    status, said = make(options, test_it=FAILS_ONCE + PASSES)
    assert status == 0
    assert "1 failed, 1 passed" in said
    assert said.splitlines()[-1].split(" in ")[0].strip("= ") == "1 passed"


@each_way
def test_make_fails_where_it_fails_again(make, options):
    status, said = make(options, test_it=FAILS_DISTURBED + PASSES)
    assert status == 2
    assert (said.count("1 failed, 1 passed"), said.count("short test summary")) == (1, 2)


@each_way
def test_make_fails_at_once_where_one_was_undisturbed(make, options):
    status, said = make(options, test_it=FAILS_ONCE, test_other=FAILS)
    assert status == 2
    assert said.count("short test summary") == 1


BURN = [sys.executable, "-c", "import time\nwhile time.process_time() < 0.5: pass"]


def test_a_child_that_was_waited_for_is_ones_own():
    before = disturbance.own_s()
    subprocess.run(BURN, check=True)
    whole_ticks = 2 * disturbance.TICK_S  # user and system time, each without its last tick
    assert disturbance.own_s() - before >= 0.5 - whole_ticks


def test_a_child_that_runs_is_ones_own():
    with subprocess.Popen([sys.executable, "-c", "while True: pass"]) as hog:
        before = disturbance.own_s()
        wait_until(lambda: disturbance.own_s() > before + 0.2, "its time is not seen")
        hog.kill()


def test_a_process_that_is_nobody_s_child_here_is_another(tmp_path):
    """Its shell ends at once."""
    begun, over = CpuTimes.now(), tmp_path / "over"
    burns = f"({shlex.join(BURN)}; touch {shlex.quote(str(over))}) >/dev/null 2>&1 &"
    subprocess.run(["sh", "-c", burns], check=True)
    wait_until(over.exists, "it does not end")
    ended = CpuTimes.now()
    assert (ended.in_tasks_s - begun.in_tasks_s) - (ended.own_s - begun.own_s) >= 0.4


BEGUN = CpuTimes(0, 0, 0, 0)


@pytest.mark.parametrize(
    ("in_tasks_s", "stolen_s", "own_s", "said"),
    [
        (14.3, 0, 0, "other processes used 143 % of a CPU"),
        (14.3, 0, 13.0, ""),
        (2.1, 0, 0, "other processes used 21 % of a CPU"),
        (1.9, 0, 0, ""),
        (1.0, 0.5, 1.0, "the hypervisor took 5 % of a CPU"),
        (1.0, 0.1, 1.0, ""),
        (1.9, 0, -5.0, ""),
    ],
)
def test_bounds_are_shares_of_one_cpu(monkeypatch, in_tasks_s, stolen_s, own_s, said):
    monkeypatch.setattr(disturbance, "UNCERTAIN_S", 0.0)
    assert disturbance.disturbance(BEGUN, CpuTimes(10, in_tasks_s, stolen_s, own_s)) == said


def test_a_few_ticks_are_no_disturbance_of_a_short_test():
    begun, ended = CpuTimes(0, 0, 0, 0), CpuTimes(0.001, disturbance.UNCERTAIN_S, 0, 0)
    assert disturbance.disturbance(begun, ended) == ""


def test_where_nobody_counts_a_failure_is_one(monkeypatch):
    def missing(root=None):
        raise FileNotFoundError("/proc/stat")

    monkeypatch.setattr(CpuTimes, "now", missing)
    assert disturbance.Watch().said() == ""
