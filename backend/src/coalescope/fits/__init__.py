# SPDX-License-Identifier: Apache-2.0
"""Parameters of a model from an experiment's runs."""
