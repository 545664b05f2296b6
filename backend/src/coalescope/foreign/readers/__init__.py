# SPDX-License-Identifier: Apache-2.0
"""One module per format, each a pure function from bytes to a Reading."""
