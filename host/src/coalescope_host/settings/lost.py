# SPDX-License-Identifier: Apache-2.0
"""What a card has that is no setting and is not put back: why nothing may take it away."""

from .device import Device


def refusal(device: Device, by: str, what: str, shown: str, deleted: str) -> str:
    """A sentence that says what would be lost, and what to do.

    Args:
        device: the interface.
        by: what takes it away, as a subject: "reloading igb".
        what: with how many there are: "2 additional RSS contexts".
        shown: the command that shows them.
        deleted: the command that deletes one.
    """
    return (
        f"{by} can delete {what} of {device} (`{shown}`), and could not put back what is "
        f"deleted: note them, delete each with `{deleted}`, and add them again afterwards"
    )
