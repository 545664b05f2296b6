# SPDX-License-Identifier: Apache-2.0
"""A store as a site of files that needs no server: the built page, and the answers it asks for."""

from coalescope.publishing.service import Published, publish

__all__ = ["Published", "publish"]
