# SPDX-License-Identifier: Apache-2.0
"""Where the zipapp starts."""

import sys

from coalescope_host.command_line import main

sys.exit(main())
