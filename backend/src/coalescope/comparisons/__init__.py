# SPDX-License-Identifier: Apache-2.0
"""Two experiments, or two levels of a factor in one: ratios of means with intervals."""
