# SPDX-License-Identifier: Apache-2.0
"""The glossary: every quantity that columns, factors and measures can name."""
