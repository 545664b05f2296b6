# SPDX-License-Identifier: Apache-2.0
"""Where the zipapp starts. Older Pythons have to be able to read it: it says which is needed."""

import sys

if sys.version_info < (3, 9):  # noqa: UP036  # what pip would refuse, a file starts
    found = ".".join(map(str, sys.version_info[:3]))
    sys.exit(
        "coalescope-host needs Python 3.9 or newer, as Debian 11 and newer have it; "
        f"{sys.executable} is Python {found}. Where a newer one is installed: "
        f"python3.9 {sys.argv[0]} …"
    )

from coalescope_host.command_line import main

sys.exit(main())
