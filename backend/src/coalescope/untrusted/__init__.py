# SPDX-License-Identifier: Apache-2.0
"""Input that somebody sent: bounds, texts, archives, and work on it in a confined process."""
