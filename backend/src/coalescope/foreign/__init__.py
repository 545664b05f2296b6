# SPDX-License-Identifier: Apache-2.0
"""Files of other tools: recognised, read, joined to runs, and kept as they came."""
