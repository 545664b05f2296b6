# SPDX-License-Identifier: Apache-2.0
"""Names of the methods of a linear fit; `fitting.fit_linear` says what each does. Pure."""

#: The one that is taken unless another is named: docs/decisions/0012-how-costs-are-fitted.md.
DEFAULT_METHOD = "ols"
METHODS = ("ols", "ols-hc3", "wls", "robust", "whitened", "paper-tls")
