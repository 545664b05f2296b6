# SPDX-License-Identifier: Apache-2.0
"""The manual page, --help and the program know the same options."""

import re
import shutil
import subprocess
import time
from pathlib import Path

import pytest
from coalescope_host.run_log import read
from timeouts import TIMEOUT_S

LOGGER = Path(__file__).resolve().parents[1]
PAGE = LOGGER / "coalescope-logger.1"


def in_the_program():
    table = (LOGGER / "options.c").read_text().partition("LONG_OPTIONS[] = {")[2]
    return set(re.findall(r'\{"([a-z-]+)", (?:no|required)_argument', table.partition("};")[0]))


def test_all_options_are_in_the_page_and_in_the_help(logger):
    page = re.findall(r"^\.It (?:Fl [a-zA-Z] , )?Fl -([a-z-]+)", PAGE.read_text(), re.MULTILINE)
    assert len(page) == len(set(page))
    assert set(page) == in_the_program()
    said = subprocess.run([logger, "--help"], capture_output=True, text=True, check=True).stdout
    assert set(re.findall(r"--([a-z][a-z-]+)", said)) == in_the_program()


def test_short_options_agree_too(logger):
    page = dict(re.findall(r"^\.It Fl ([a-zA-Z]) , Fl -([a-z-]+)", PAGE.read_text(), re.MULTILINE))
    said = subprocess.run([logger, "--help"], capture_output=True, text=True, check=True).stdout
    assert page == dict(re.findall(r"^  -([a-zA-Z]), --([a-z-]+)", said, re.MULTILINE))


def test_help_fits_a_wide_terminal(logger):
    said = subprocess.run([logger, "--help"], capture_output=True, text=True, check=True).stdout
    assert max(map(len, said.splitlines())) <= 112


def test_the_page_is_well_formed():
    if shutil.which("mandoc") is None:
        pytest.fail("needs mandoc, the Debian package of that name")
    done = subprocess.run(
        ["mandoc", "-T", "lint", str(PAGE)], capture_output=True, text=True, check=False
    )
    # which other pages are installed here is not the page's affair
    findings = [line for line in done.stdout.splitlines() if "referenced manual" not in line]
    assert findings == []


def test_it_is_installed_with_the_program(build, tmp_path):
    subprocess.run(
        ["make", "-s", "-C", str(LOGGER), f"BUILD={build}", f"DESTDIR={tmp_path}", "install"],
        check=True,
    )
    assert (tmp_path / "usr/local/bin/coalescope-logger").stat().st_mode & 0o777 == 0o755
    installed = tmp_path / "usr/local/share/man/man1/coalescope-logger.1"
    assert installed.read_bytes() == PAGE.read_bytes()


@pytest.mark.network
@pytest.mark.fault("A2")
def test_the_example_with_a_late_client_measures_its_traffic(logger, namespaces, tmp_path):
    """As it stands there, with other names and shorter times."""
    page = PAGE.read_text().partition("Sh EXAMPLES")[2].replace("\\e\n", "")
    server = re.search(r"^coalescope-logger (-i .* -- iperf3 .*)$", page, re.MULTILINE)[1]
    client = re.search(r"^\.Dl (iperf3 -c .*)$", page, re.MULTILINE)[1]
    for there, here in (
        ("eth1", "probe0"),
        ("a.runlog", tmp_path / "a.runlog"),
        ("-d 10s", "-d 1s"),
    ):
        assert there in server
        server = server.replace(there, str(here))
    inside = ["ip", "netns", "exec"]
    with subprocess.Popen(
        [*inside, namespaces[0], logger, *server.split()], stderr=subprocess.PIPE, text=True
    ) as process:
        time.sleep(2)
        sends = client.replace("HOST", "10.214.0.1").replace("-b 0", "-b 10M").replace("12", "3")
        subprocess.run([*inside, namespaces[1], *sends.split()], check=True, capture_output=True)
        said = process.communicate(timeout=TIMEOUT_S)[1]
    assert process.returncode == 0, said
    log = read(tmp_path / "a.runlog")
    start, end = log.window
    assert (end - start) / 1e9 == pytest.approx(1, abs=0.1)
    rows = list(
        zip(log.streams[0].column("t_monotonic_ns"), log.streams[0].column("rx_bytes"), strict=True)
    )
    inside_it = [octets for t, octets in rows if start <= t <= end]
    rate = 8e-6 * (inside_it[-1] - inside_it[0]) / ((end - start) / 1e9)
    assert rate == pytest.approx(10.3, rel=0.1)  # with headers
