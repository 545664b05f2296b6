# SPDX-License-Identifier: Apache-2.0
"""An experiment's cells or runs as CSV that can be imported again, or as JSON."""
