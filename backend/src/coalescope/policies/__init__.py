# SPDX-License-Identifier: Apache-2.0
"""What adaptive moderation would choose, beside the best interval that is left alone."""
