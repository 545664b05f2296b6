# SPDX-License-Identifier: Apache-2.0
"""Models that users write, as text."""
