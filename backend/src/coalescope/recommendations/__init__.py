# SPDX-License-Identifier: Apache-2.0
"""Which setting to choose, with what certainty, and how to set it."""
