# SPDX-License-Identifier: Apache-2.0
"""The sweep: every cell of a plan, in random order, on a host that is left as it was found."""
