# SPDX-License-Identifier: Apache-2.0
"""`make guest-system`: fetch what guests stand on, once, and build what they run."""

import sys

from guest.emulator import debian_qemu
from guest.errors import GuestError
from guest.folders import BUILD, alone
from guest.kernel import NEWEST, debian_kernel
from guest.programs import build_programs, miscounting_logger, tested_modules
from guest.root import debian_root


def main() -> int:
    """Return the exit status."""
    try:
        with alone():
            kernel, emulator, _ = debian_kernel(), debian_qemu(), debian_root()
            build_programs(kernel)  # else the first guest does, and all others wait for it
            miscounting_logger()
            newest = debian_kernel(NEWEST)
            for tested in (kernel, newest):
                tested_modules(tested)
    except GuestError as error:
        sys.stderr.write(f"guest: {error}\n")
        return 1
    sys.stdout.write(f"{BUILD}: Linux {kernel.abi} and {newest.abi}, QEMU {emulator.version()}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
