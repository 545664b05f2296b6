# SPDX-License-Identifier: Apache-2.0
"""From the records of a run log to measures: numpy views, no copies of the counters."""
