# SPDX-License-Identifier: Apache-2.0
"""What keeps a setting after a restart: each form is checked by its own system's checker.

The checkers are Debian 13's, unpacked beside the system and run in a chroot with a network of its
own. What a form sets there without a card, the MTU, is read back.
"""

import os
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
import yaml
from coalescope.experiments.records import Factors
from coalescope.recommendations.commands import commands_for
from coalescope.recommendations.forms import FORMS, File, Form
from coalescope.recommendations.forms.network_manager import properties
from coalescope.recommendations.target import Target, target_for
from coalescope_host.drivers import DRIVERS
from guest.errors import GuestError

from .debian_tree import debian_tree

SETTING: Factors = {"mtu_bytes": 3000, "delay_us": 120}
INTERFACE = "enp3s0"
PACKAGES = (
    *("systemd", "udev", "network-manager", "netplan.io", "ansible-core", "nix-bin", "ifupdown"),
    *("tuned", "iproute2", "ethtool", "python3"),
    *("bash", "dash", "coreutils", "findutils", "sed", "grep", "mawk", "debianutils"),
    *("util-linux", "libc-bin", "base-files", "base-passwd"),
)
PRELUDE = f"""
set -e
export LC_ALL=C.UTF-8 HOME=/root PATH=/usr/local/sbin:/usr/sbin:/usr/bin:/sbin:/bin
mount -t proc proc /proc
mount -t sysfs sysfs /sys
for folder in /run /tmp /root /dev /usr/local; do
    mkdir -p $folder
    mount -t tmpfs tmpfs $folder
done
mkdir -p /dev/shm /usr/local/sbin /run/udev /run/network
mknod /dev/null c 1 3; mknod /dev/urandom c 1 9; chmod 666 /dev/null /dev/urandom
ip link add {INTERFACE} type veth peer name other
printf '#!/bin/sh\\necho ethtool "$@" >> /tmp/asked\\n' > /usr/local/sbin/ethtool
chmod 755 /usr/local/sbin/ethtool
"""


def target(driver: str, interface: str = INTERFACE) -> Target:
    return target_for(SETTING, interface, driver)


def written(files: Sequence[File]) -> str:
    """Commands that write files, on file systems of their own."""
    lines = []
    for folder in dict.fromkeys(str(Path(file.path).parent) for file in files):
        lines += [f"mkdir -p {folder}", f"mount -t tmpfs tmpfs {folder}"]
    for file in files:
        lines += [f"cat > {file.path} <<'END-OF-FILE'", f"{file.text}END-OF-FILE"]
        lines += [f"chmod {'755' if file.executable else '600'} {file.path}"]
    return "\n".join(lines)


Debian = Callable[[str], "subprocess.CompletedProcess[str]"]


@pytest.fixture(scope="session")
def debian() -> Debian:
    """Runs a shell script in Debian 13, with its output and errors in one."""
    if os.geteuid() != 0:
        pytest.skip("a chroot needs root")
    try:
        root = debian_tree("checkers-of-forms", PACKAGES)
    except GuestError as error:
        pytest.skip(f"Debian's packages cannot be fetched: {error}")

    def run(script: str) -> "subprocess.CompletedProcess[str]":
        return subprocess.run(
            ["unshare", "--mount", "--net", "--pid", "--fork", "chroot", root, "sh", "-s"],
            input=PRELUDE + script,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )

    return run


in_debian = [pytest.mark.network, pytest.mark.slow]


@pytest.mark.parametrize("driver", sorted(DRIVERS))
def test_every_driver_has_every_form(driver: str) -> None:
    forms = commands_for(target(driver)).forms
    assert [form.name for form in forms] == list(FORMS)
    for form in forms:
        text = "\n".join([*(file.text for file in form.files), *form.activate])
        assert "3000" in text, form
        alone_first = "adaptive-rx off\n" in text
        if driver in ("mlx5_core", "bnxt_en"):
            assert alone_first, f"{form.name} would set all in one request"
        assert form.files or form.activate


@pytest.mark.parametrize("driver", sorted(DRIVERS))
@pytest.mark.parametrize("name", list(FORMS))
def test_each_form_of_each_driver_sets_what_its_block_sets_or_is_refused_with_it(
    name: str, driver: str
) -> None:
    asked = target(driver)
    (kept,) = [form for form in commands_for(asked).forms if form.name == name]
    text = "\n".join([*(file.text for file in kept.files), *kept.activate])
    assert all(str(value) in text for value in asked.coalescing.values())
    assert all(option in text for option in (asked.module or "").split())
    beyond = commands_for(target_for({**SETTING, "delay_us": 1e10}, INTERFACE, driver))
    assert "cannot be set" in beyond.refused[0]
    assert not (beyond.apply or beyond.back or beyond.forms)


def test_a_driver_that_is_not_known_has_none() -> None:
    found = commands_for(target_for(SETTING, INTERFACE))
    assert found.forms == []
    assert any("How to keep it" in note for note in found.notes)
    assert commands_for(target_for({"mtu_bytes": 3000}, INTERFACE)).forms, "an MTU is an MTU"


def test_an_interface_is_told_by_what_udev_knows_before_it_is_renamed() -> None:
    for name, line in {
        "eth0": "OriginalName=eth0",
        "lan0": "OriginalName=lan0",
        "enp3s0": "Property=ID_NET_NAME_PATH=enp3s0",
        "eno1": "Property=ID_NET_NAME_ONBOARD=eno1",
        "ens3f0": "Property=ID_NET_NAME_SLOT=ens3f0",
    }.items():
        assert line in FORMS["systemd-link"](target("igb", name)).files[0].text
    unit = FORMS["systemd-link"](target("mlx5_core", "a-b.7")).files[0]
    assert r"sys-subsystem-net-devices-a\x2db.7.device" in unit.text


def form(name: str, driver: str = "igb") -> Form:
    return FORMS[name](target(driver))


def checked(debian: Debian, script: str) -> str:
    done = debian(script)
    assert done.returncode == 0, done.stdout
    return done.stdout


class TestInDebian:
    pytestmark = in_debian

    def test_systemd_link(self, debian: Debian) -> None:
        (file,) = form("systemd-link", "vmxnet3").files
        text = file.text.replace("Property=ID_NET_NAME_PATH", "OriginalName")  # it is no PCI card
        ask = (
            "SYSTEMD_LOG_LEVEL=debug udevadm test-builtin --action=add net_setup_link "
            f"/sys/class/net/{INTERFACE}"
        )
        said = checked(debian, f"{written([File(file.path, text)])}\n{ask}")
        assert f"Config file {file.path} is applied" in said
        assert "Unknown" not in said
        assert "Failed to parse" not in said
        for option in ("RxCoalesceSec=", "UseAdaptiveRxCoalesce=", "RxMaxCoalescedFrames="):
            assert option in text
            wrong = File(file.path, text.replace(option, f"{option[:-1]}s="))
            assert "Unknown" in checked(debian, f"{written([wrong])}\n{ask}")

    def test_the_service_of_systemd(self, debian: Debian) -> None:
        (file,) = form("systemd-link", "mlx5_core").files
        assert file.path.endswith(".service")
        ask = f"systemd-analyze verify --man=no {file.path}"
        assert checked(debian, f"{written([file])}\n{ask}") == ""
        wrong = File(file.path, file.text.replace("ExecStart=ip", "ExecStart=no-such-program"))
        assert debian(f"{written([wrong])}\n{ask}").returncode != 0

    def test_network_manager(self, debian: Debian) -> None:
        words = " ".join(f"{k} {v}" for k, v in properties(target("mlx4_en")).items())
        ask = f"nmcli --offline connection add type ethernet ifname {INTERFACE} {words}"
        keyfile = checked(debian, ask)
        assert "[ethernet]\nmtu=3000\n" in keyfile
        for line in ("adaptive-rx=0", "rx-usecs=120", "rx-frames=65534"):
            assert f"\ncoalesce-{line}\n" in keyfile
        assert debian(ask.replace("rx-usecs 120", "rx-usecs many")).returncode != 0
        assert words in form("networkmanager", "mlx4_en").activate[1]

    def test_netplan(self, debian: Debian) -> None:
        yml = form("netplan").files[0]
        here = File(f"/tmp/system{yml.path}", yml.text)
        ask = "netplan generate --root-dir /tmp/system && cat /tmp/system/run/systemd/network/*"
        assert "MTUBytes=3000" in checked(debian, f"{written([here])}\n{ask}")
        wrong = File(here.path, here.text.replace("mtu:", "mtus:"))
        assert debian(f"{written([wrong])}\nnetplan generate --root-dir /tmp/system").returncode

    def test_ifupdown_applies_it(self, debian: Debian) -> None:
        script = f"""{written(form("ifupdown", "ice").files)}
        echo 'iface {INTERFACE} inet manual' > /tmp/interfaces
        ifup --no-act -i /tmp/interfaces {INTERFACE}
        ifup -i /tmp/interfaces {INTERFACE}
        cat /tmp/asked
        cat /sys/class/net/{INTERFACE}/mtu"""
        assert checked(debian, script).endswith(
            f"ethtool -C {INTERFACE} adaptive-rx off\nethtool -C {INTERFACE} rx-usecs 120\n3000\n"
        )

    def test_tuned_loads_it_and_its_script_applies_it(self, debian: Debian) -> None:
        found = form("tuned", "mlx5_core")
        script = f"""{written(found.files)}
        tuned-adm list | grep -o coalescope-{INTERFACE}
        cat > /tmp/load.py <<'PY'
from tuned.consts import USER_PROFILES_DIR
from tuned.profiles import Factory, Loader, Locator, Merger
from tuned.profiles.variables import Variables
from tuned.utils.global_config import GlobalConfig
loader = Loader(Locator([USER_PROFILES_DIR]), Factory(), Merger(), GlobalConfig(), Variables())
print(loader.load("coalescope-{INTERFACE}").units["script"].options["script"][0])
PY
        program=$(python3 /tmp/load.py 2>/dev/null)
        $program stop; $program start
        cat /tmp/asked
        cat /sys/class/net/{INTERFACE}/mtu"""
        assert checked(debian, script).endswith(
            f"coalescope-{INTERFACE}\nethtool -C {INTERFACE} adaptive-rx off\n"
            f"ethtool -C {INTERFACE} rx-usecs 120 rx-frames 65535\n3000\n"
        )

    def test_ansible(self, debian: Debian) -> None:
        (playbook,) = form("ansible").files
        here = File(f"/playbooks/{playbook.path}", playbook.text)
        run = (
            "ansible-playbook -i localhost, -c local -e ansible_python_interpreter=/usr/bin/python3"
        )
        said = checked(debian, f"{written([here])}\n{run} --syntax-check {here.path}")
        assert "playbook: " in said
        copy = f"{run} --check --diff --start-at-task 'Service that sets them' {here.path} || true"
        assert f"+ExecStart=ip link set dev {INTERFACE} mtu 3000" in checked(
            debian, f"{written([here])}\n{copy}"
        )
        wrong = File(here.path, here.text.replace("ansible.builtin.copy", "ansible.builtin.copie"))
        assert debian(f"{written([wrong])}\n{run} --syntax-check {here.path}").returncode != 0

    def test_nixos(self, debian: Debian) -> None:
        (file,) = form("nixos", "mlx5_core").files
        parsed = checked(debian, f"{written([file])}\nnix-instantiate --parse {file.path}")
        assert f"ethtool -C {INTERFACE} rx-usecs 120 rx-frames 65535" in parsed
        wrong = File(file.path, file.text.replace("};", "}"))
        assert debian(f"{written([wrong])}\nnix-instantiate --parse {file.path}").returncode != 0


def test_nmstate() -> None:
    (file,) = form("nmstate", "mlx4_en").files
    (interface,) = yaml.safe_load(file.text)["interfaces"]
    assert interface["mtu"] == 3000
    assert interface["ethtool"]["coalesce"] == {
        "adaptive-rx": False, "rx-usecs": 120, "rx-frames": 65_534,
    }  # fmt: skip


#: What nmstate 2.2.62 takes there; it refuses any other name. Its own program: `test_nmstate`.
NMSTATE_WORDS = {"adaptive-rx": bool} | dict.fromkeys(
    (
        *("rx-usecs", "rx-frames", "rx-usecs-irq", "rx-frames-irq", "rx-usecs-low"),
        *("rx-frames-low", "rx-usecs-high", "rx-frames-high", "pkt-rate-low", "pkt-rate-high"),
        *("tx-usecs", "tx-frames", "sample-interval", "stats-block-usecs"),
    ),
    int,
)


@pytest.mark.parametrize("driver", sorted(DRIVERS))
def test_nmstate_knows_every_word(driver: str) -> None:
    (state,) = [file for file in form("nmstate", driver).files if file.path.endswith(".yml")]
    (interface,) = yaml.safe_load(state.text)["interfaces"]
    assert set(interface) <= {"name", "type", "state", "mtu", "ethtool"}
    for word, value in interface.get("ethtool", {}).get("coalesce", {}).items():
        assert type(value) is NMSTATE_WORDS[word], word
