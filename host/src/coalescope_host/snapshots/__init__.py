# SPDX-License-Identifier: Apache-2.0
"""What surrounds an interface, kept in a file, and compared with another's or another time's."""
