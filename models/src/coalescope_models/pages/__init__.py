# SPDX-License-Identifier: Apache-2.0
"""What the page is given of the models."""
