# SPDX-License-Identifier: Apache-2.0
"""Models that people bring: JSON graphs, checked before anything is done with them."""
