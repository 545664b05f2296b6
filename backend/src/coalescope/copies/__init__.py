# SPDX-License-Identifier: Apache-2.0
"""What a copy without a server works out itself, from the answers that it keeps."""
