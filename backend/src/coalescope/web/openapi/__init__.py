# SPDX-License-Identifier: Apache-2.0
"""The description of the API: as a document for programs, and as a page for people."""
