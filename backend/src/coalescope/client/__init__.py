# SPDX-License-Identifier: Apache-2.0
"""What `import coalescope` offers: experiments of a store, a server or files, in Python."""
