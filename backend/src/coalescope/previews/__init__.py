# SPDX-License-Identifier: Apache-2.0
"""What is seen of a link where it is shared: a title, a few words, and a picture of the cells."""
