# SPDX-License-Identifier: Apache-2.0
"""Short links: a token stands for an address of the page."""
