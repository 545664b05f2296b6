# SPDX-License-Identifier: Apache-2.0
"""The Coalescope server and command line."""
