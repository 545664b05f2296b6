# SPDX-License-Identifier: Apache-2.0
"""The built page: static files, and one index.html behind every address of the page."""

from coalescope.page.files import PageFiles

__all__ = ["PageFiles"]
