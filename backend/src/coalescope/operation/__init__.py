# SPDX-License-Identifier: Apache-2.0
"""What those who run the service watch: metrics and logs."""
