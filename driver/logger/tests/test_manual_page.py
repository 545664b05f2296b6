# SPDX-License-Identifier: Apache-2.0
"""The manual page, --help and the program know the same options."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

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
