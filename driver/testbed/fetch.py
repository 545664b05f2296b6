# SPDX-License-Identifier: Apache-2.0
"""`make guest-system`: fetch what guests stand on, once, and build what they run."""

import sys

from testbed.emulator import debian_qemu
from testbed.errors import TestbedError
from testbed.folders import BUILD, alone
from testbed.kernel import debian_kernel
from testbed.programs import build_programs, tested_modules
from testbed.root import debian_root


def main() -> int:
    """Return the exit status."""
    try:
        with alone():
            kernel, emulator, _ = debian_kernel(), debian_qemu(), debian_root()
            build_programs(kernel)  # else the first guest does, and all others wait for it
            tested_modules(kernel)
    except TestbedError as error:
        sys.stderr.write(f"testbed: {error}\n")
        return 1
    sys.stdout.write(f"{BUILD}: Linux {kernel.abi}, QEMU {emulator.version()}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
