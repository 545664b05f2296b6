# SPDX-License-Identifier: Apache-2.0
"""Writes recorded_settings.h beside this file: where the log's environment holds which setting."""

from pathlib import Path

from coalescope_host.run_log.recorded_settings import RECORDED, USECS_MODES, Form, is_of_time

FILE = Path(__file__).with_suffix(".h")


def header() -> str:
    """The logger's table, in C."""

    def quoted(text: str | None) -> str:
        return "NULL" if text is None else f'"{text}"'

    lines = [
        "/* SPDX-License-Identifier: Apache-2.0 */",
        "/* Written by recorded_settings.py beside this file. */",
        "#ifndef RECORDED_SETTINGS_H",
        "#define RECORDED_SETTINGS_H",
        "",
        "#include <stdbool.h>",
        "#include <stddef.h>",
        "",
        '#include "level_forms.h"',
        "",
        "struct recorded_setting {",
        "\tconst char *factor;",
        "\tconst char *paths[2]; /* the second where the first holds nothing */",
        "\tconst char *overridden_by;",
        "\tbool of_time; /* or a rate */",
        "\tenum form form;",
        "};",
        "",
        "static const struct recorded_setting RECORDED[] = {",
    ]
    for name, row in RECORDED.items():
        first, second = (*map(quoted, row.paths), "NULL")[:2]
        time = str(row.form is Form.PLAIN and is_of_time(name)).lower()
        rest = f"{quoted(row.overridden_by)}, {time}, {row.form.name}"
        lines.append(f"\t{{{quoted(name)}, {{{first}, {second}}}, {rest}}},")
    lines += ["};", "", "/* Levels of rx-usecs that are ways to adapt the delay. */"]
    lines += ["static const struct {", "\tconst char *driver;", "\tunsigned int usecs;"]
    lines += ["} USECS_MODES[] = {"]
    for driver, modes in USECS_MODES.items():
        lines += [f"\t{{{quoted(driver)}, {usecs}}}," for usecs in modes]
    return "\n".join([*lines, "};", "", "#endif", ""])


if __name__ == "__main__":
    FILE.write_text(header(), encoding="ascii")
