# SPDX-License-Identifier: Apache-2.0
"""One module per command; each has run(options) and returns the exit status."""
