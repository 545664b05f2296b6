# SPDX-License-Identifier: Apache-2.0
"""Fits that take longer than a request may: asked for once, computed by some server, kept."""
