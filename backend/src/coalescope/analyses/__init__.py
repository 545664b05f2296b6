# SPDX-License-Identifier: Apache-2.0
"""What replicates say of an experiment as a whole: where variation comes from, what is missing."""
