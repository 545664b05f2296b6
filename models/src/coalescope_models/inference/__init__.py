# SPDX-License-Identifier: Apache-2.0
"""From observations to statements: statistics, fits, recommendations. Needs numpy."""
