# SPDX-License-Identifier: Apache-2.0
"""`python -m coalescope` is the same as `coalescope`."""

import sys

from coalescope.cli import main

sys.exit(main())
