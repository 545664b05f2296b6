# SPDX-License-Identifier: Apache-2.0
"""A playbook of Ansible: a service of systemd for every start, begun at once."""

from coalescope.recommendations.forms.form import File, Form
from coalescope.recommendations.forms.unit import unit
from coalescope.recommendations.target import Target


def ansible(target: Target) -> Form:
    """The form."""
    service = unit(target)
    name = service.path.rpartition("/")[2]
    lines = [
        f"- name: MTU and interrupt coalescing of {target.interface}",
        "  hosts: all",
        "  become: true",
        "  tasks:",
        "    - name: Service that sets them",
        "      ansible.builtin.copy:",
        f"        dest: {service.path}",
        '        mode: "0644"',
        "        content: |",
        *(f"          {line}".rstrip() for line in service.text.splitlines()),
        "      register: written",
        "    - name: Begin it, now and at every start",
        "      ansible.builtin.systemd:",
        f"        name: {name}",
        "        daemon_reload: true",
        "        enabled: true",
        "        state: \"{{ 'restarted' if written.changed else 'started' }}\"",
    ]
    playbook = File(f"coalescope-{target.interface}.yml", "\n".join([*lines, ""]))
    return Form(
        "ansible", "Ansible", [playbook], [f"ansible-playbook --limit HOST {playbook.path}"],
        ["Put your host for HOST."],
    )  # fmt: skip
