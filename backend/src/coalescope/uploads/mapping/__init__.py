# SPDX-License-Identifier: Apache-2.0
"""Tables as people have them: what their columns mean is proposed, said, and kept with them."""
