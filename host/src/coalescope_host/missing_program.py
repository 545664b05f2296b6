# SPDX-License-Identifier: Apache-2.0
"""What is said of a program that is not there, and how to get it."""

_HOW_TO_GET = {
    "iperf3": " On Debian: apt-get install iperf3.",
    "coalescope-traffic": (
        " `make traffic` builds driver/traffic/coalescope-traffic: copy it to /usr/local/bin."
    ),
}


def not_installed(program: str, where: str = "") -> str:
    """That it is not, as sentences; `where`: the end of the first."""
    return f"{program} is not installed{where}.{_HOW_TO_GET.get(program, '')}"
