# SPDX-License-Identifier: Apache-2.0
"""What a tuning measures next, when it stops, and what it answers. Pure; the standard library."""
