# SPDX-License-Identifier: Apache-2.0
"""What happens between wire and CPU, as functions with their sources; no function needs data."""
