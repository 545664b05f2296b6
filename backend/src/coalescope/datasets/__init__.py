# SPDX-License-Identifier: Apache-2.0
"""The published data sets that come with the source, loaded at start."""
