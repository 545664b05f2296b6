# SPDX-License-Identifier: Apache-2.0
"""Models of what MTU and interrupt coalescing do to a host."""
