# SPDX-License-Identifier: Apache-2.0
"""The commands that set a machine as recommended, and the way back. Pure: nothing is run.

They are one block for a shell. It refuses before it sets anything, writes down and prints the way
back, stops at the first command that fails, reads back what the device took, and puts all back
where something of this went wrong.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from coalescope.recommendations.forms import Form, forms_of
from coalescope.recommendations.target import Target

_FUNCTIONS = (
    'fail() { echo "$dev: $*" >&2; exit 1; }',
    'link() { ip -d link show dev "$dev" | awk -v n="$1" \''
    "{ for (i = 1; i < NF; i++) if ($i == n) print $(i + 1) }'; }",
    'shown() { ethtool -c "$dev" | awk -v n="$1:" \'$1 == n { print $2 }\'; }',
    "adaptive() { ethtool -c \"$dev\" | awk '/^Adaptive RX:/ { print $3 }'; }",
)
# as the kernel shows it (Documentation/networking/net_dim.rst), in the form in which it is set
_PROFILE = (
    "profile() { ethtool -c \"$dev\" | awk -F '[=,]' '/^rx-profile:/ { own = 1 } "
    "/^tx-profile:/ { own = 0 } own && NF > 6 { "
    'gsub(/ /, ""); gsub(/n\\/a/, "n"); printf "%s%s,%s,%s", more, $2, $4, $6; more = "_" }\'; }'
)
_NO_FORMS = "How to keep it after a restart is said where the driver is known."
_WAIT = (
    "n=0; until ip link show dev $dev >/dev/null 2>&1 || [ {n} -ge 10 ]; do n={add}; sleep 1; done"
)


@dataclass
class Commands:
    """What to run as root.

    Attributes:
        apply: a block for a shell that sets it, or puts everything back; empty where it is refused.
        back: the way back, in any shell.
        refused: why nothing can be set, with the nearest values that can be.
        forms: the same for each system that keeps it after a restart.
        notes: what to know first.

    """

    apply: list[str] = field(default_factory=list)
    back: list[str] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)
    forms: list[Form] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def carries_over(kind: str) -> str:
    """What of an answer holds on the machine that its commands are for.

    Args:
        kind: of the experiment; "predicted" of a model.
    """
    if kind == "measured":
        return "For the machine that was measured. On another, measure it before you keep it."
    return (
        f"These values are {kind}: another host, driver and traffic. That the factors matter, and "
        "which way, carries over; not the values, and not what they gain. Measure the setting on "
        "your machine before you keep it."
    )


def commands_for(target: Target) -> Commands:
    """The commands for a target."""
    if target.refused or not target.sets_anything:
        return Commands(refused=target.refused, notes=target.notes)
    back = f"/run/coalescope-{target.interface}.back"
    forms = forms_of(target)
    notes = target.notes if forms else [*target.notes, _NO_FORMS]
    return Commands(
        apply=["(", "set -eu", f"dev={target.interface} back={back}", *_block(target), ")"],
        back=[f"sh {back}"],
        forms=forms,
        notes=notes,
    )


def _block(target: Target) -> list[str]:
    words = list(target.coalescing)
    return [
        *_FUNCTIONS,
        *([_PROFILE] if target.profile else []),
        "# refuse before anything is set",
        *_checks(target),
        "# the way back",
        *_remember(target, words),
        "# set it; whatever fails puts all back",
        'trap \'[ $? = 0 ] || { echo "$dev: putting back" >&2; sh "$back"; }\' EXIT',
        *_set(target),
        "# read back",
        *_compare(target),
        'echo "$dev: set, and read back. The way back: sh $back"',
    ]


def _checks(target: Target) -> list[str]:
    lines = ['[ ! -e "$back" ] || fail "is not as it was: first run sh $back"']
    if target.driver is not None:
        names = "|".join([target.driver.name, *target.driver.aliases])
        lines.append(
            f"case $(ethtool -i \"$dev\" | awk '/^driver:/ {{ print $2 }}') in {names}) ;; "
            f'*) fail "its driver is not {target.driver.name}" ;; esac'
        )
    if target.mtu is not None:
        lines += [
            "most=$(link maxmtu)",
            f'[ "${{most:-0}}" -eq 0 ] || [ {target.mtu} -le "$most" ] || '
            'fail "takes an MTU of $most at most"',
        ]
    return lines


def _old(word: str) -> str:
    return f"old_{word.replace('-', '_')}"


def _remember(target: Target, words: Sequence[str]) -> list[str]:
    """Read what is set now, and write the commands that set it again into a file."""
    lines = []
    if target.mtu is not None or target.module:
        lines.append("old_mtu=$(link mtu)")
    for word in words:
        lines += [
            f"{_old(word)}=$(shown {word})",
            f"case ${_old(word)} in ''|*[!0-9]*) fail \"{word} cannot be read\" ;; esac",
        ]
    if target.profile is not None:
        lines += [
            "old_profile=$(profile)",
            '[ -n "$old_profile" ] || fail "rx-profile cannot be read"',
        ]
    if target.adaptive is not None:
        lines += [
            "old_adaptive=$(adaptive)",
            "case $old_adaptive in on|off) ;; *) old_adaptive= ;; esac",
        ]
    # an empty line, where adaptive-rx cannot be read, is no command that could fail
    back = [
        line[:-1] + " || failed=1}" if line.endswith("}") else f"{line} || failed=1"
        for line in _back(target, words)
    ]
    return [
        *lines,
        'cat > "$back" <<END',
        "failed=0",
        *back,
        "[ \\$failed = 0 ] && rm $back",
        "END",
        'cat "$back"',
    ]


def _back(target: Target, words: Sequence[str]) -> list[str]:
    """The way back, with shell variables for what is read when the block runs."""
    reloads = _by_reload(target)
    lines = []
    if reloads:
        assert target.driver is not None
        lines += [
            f"modprobe -r {target.driver.name}",
            f"modprobe {target.driver.name}",
            _WAIT.format(n=r"\$n", add=r"\$((n + 1))"),
            "ip link set dev $dev up",
        ]
    if target.mtu is not None or target.module:
        lines.append("ip link set dev $dev mtu $old_mtu")
    if reloads:
        return lines
    if target.adaptive is not None:
        lines.append("${old_adaptive:+ethtool -C $dev adaptive-rx off}")
    if target.profile is not None:
        lines.append("ethtool -C $dev rx-profile $old_profile")
    if words:
        old = " ".join(f"{word} ${_old(word)}" for word in words)
        lines.append(f"ethtool -C $dev {old}")
    if target.adaptive is not None:
        lines.append("${old_adaptive:+ethtool -C $dev adaptive-rx $old_adaptive}")
    return lines


def _by_reload(target: Target) -> bool:
    driver = target.driver
    known = bool(target.coalescing and driver and driver.value("way_back") == "reload")
    return known or target.module is not None


def _set(target: Target) -> list[str]:
    lines = []
    if target.module:
        assert target.driver is not None
        lines += [
            f"modprobe -r {target.driver.name}",
            f"modprobe {target.driver.name} {target.module}",
            _WAIT.format(n="$n", add="$((n + 1))"),
            'ip link set dev "$dev" up',
        ]
    # some devices have no adaptive-rx, and need none
    return lines + [
        f'[ "$old_adaptive" != on ] || {step}' if step.endswith("adaptive-rx off") else step
        for step in target.steps()
    ]


def _compare(target: Target) -> list[str]:
    lines = []
    if target.mtu is not None:
        lines.append(
            f'[ "$(link mtu)" = {target.mtu} ] || fail "its MTU is $(link mtu), not {target.mtu}"'
        )
    if target.profile is not None:
        lines.append(f'[ "$(profile)" = {target.profile} ] || fail "its rx-profile is $(profile)"')
    if target.adaptive is not None:
        wrong = "off" if target.adaptive else "on"
        lines.append(f'[ "$(adaptive)" != {wrong} ] || fail "adaptive-rx is {wrong}"')
    lines += [
        f'[ "$(shown {word})" = {value} ] || fail "took $(shown {word}) for {word} {value}"'
        for word, value in target.coalescing.items()
    ]
    return lines
