# SPDX-License-Identifier: Apache-2.0
"""`python -m coalescope_host`: the commands that need nothing but this package."""

import sys

from .command_line import main

sys.exit(main(sys.argv[1:]))
