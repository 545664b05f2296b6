# SPDX-License-Identifier: Apache-2.0
"""The catalogue of models, and what they predict."""
