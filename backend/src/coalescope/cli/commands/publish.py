# SPDX-License-Identifier: Apache-2.0
"""coalescope publish DIR."""

import sys
from argparse import Namespace

from coalescope.app import create_app
from coalescope.cli.local_store import local_store, settings_of
from coalescope.cli.output import counted, printable
from coalescope.datasets.source import FETCH
from coalescope.experiments.service import list_experiments
from coalescope.publishing import publish
from coalescope.store import Store, open_store


def run(arguments: Namespace) -> int:
    """Write the local store as a site of files, and say how large it is."""
    with local_store(arguments) as store:
        _warn_of_what_is_others(store)
    # nobody but this process asks it
    settings = settings_of(arguments).model_copy(update={"host": "127.0.0.1", "token": None})
    open_store(settings).close()  # loads what is not loaded yet
    app = create_app(settings)
    try:
        written = publish(
            app,
            settings.page_dir,
            arguments.directory,
            with_logs=arguments.with_logs,
            at=arguments.at,
            replace=arguments.replace,
        )
    finally:
        app.state.database.close()
    print(
        f"Wrote {arguments.directory}: {counted(written.experiments, 'experiment')}, "
        f"{counted(written.runs, 'run')}, {counted(written.files, 'file')}, "
        f"{written.size_bytes / 1e6:.1f} MB."
    )
    print("Any web server shows it, for example:")
    print(f"  python3 -m http.server --directory {arguments.directory} 8080")
    return 0


def _warn_of_what_is_others(store: Store) -> None:
    """Say on stderr which data were fetched from others, and on what terms."""
    with store.database.read() as connection:
        fetched = [each for each in list_experiments(connection) if FETCH in each.source]
    for experiment in fetched:
        print(
            f"coalescope: {experiment.slug} was fetched from its authors, and the site will hold "
            f"it.\n  Licence: {printable(experiment.source['licence'])}",
            file=sys.stderr,
        )
