# SPDX-License-Identifier: Apache-2.0
"""Files on this machine: found, unpacked, joined with those they belong to, stored."""
