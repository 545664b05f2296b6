# SPDX-License-Identifier: Apache-2.0
"""The service as HTTP: who may ask, middleware, errors, health, metrics, tracing."""
