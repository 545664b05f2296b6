# SPDX-License-Identifier: Apache-2.0
"""A measure of an experiment over its two main factors."""
