# SPDX-License-Identifier: Apache-2.0
"""The names that the project uses: quantities, and the glossary that is written from them."""
