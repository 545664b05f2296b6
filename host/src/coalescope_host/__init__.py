# SPDX-License-Identifier: Apache-2.0
"""What runs on the machine under test."""
