# SPDX-License-Identifier: Apache-2.0
"""Whether everything that was acknowledged is there, whole, and says what its files say."""
