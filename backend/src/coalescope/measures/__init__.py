# SPDX-License-Identifier: Apache-2.0
"""From the records of a run log to measures: numpy views, no copies of the counters."""

#: Raised whenever a measure is new, comes to mean something else, or is made or left out in another
#: way: runs that were measured under an older one are measured again when the store is opened.
DEFINITIONS = 5
