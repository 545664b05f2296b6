# SPDX-License-Identifier: Apache-2.0
"""The plan of a sweep: what it varies, and in which order. Pure: it changes nothing."""
