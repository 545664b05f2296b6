# SPDX-License-Identifier: Apache-2.0
"""coalescope import FILE…"""

from argparse import Namespace
from pathlib import Path
from tempfile import TemporaryDirectory

from coalescope.cli.file_outcomes import conclude, report
from coalescope.cli.local_store import changed_store, settings_of
from coalescope.cli.mapped_tables import mapping_typed, with_what_was_seen
from coalescope.client.files.given import GivenFile, given_files
from coalescope.client.files.importing import import_file
from coalescope.client.files.outcomes import FileOutcome
from coalescope.client.files.together import with_foreign_together
from coalescope.store import Store
from coalescope.uploads.mapping.records import TableMapping
from coalescope.uploads.parsed_upload import UploadRequest
from coalescope.uploads.reading import Reading


def run(arguments: Namespace) -> int:
    """Store files; 1 unless all of them are in the store."""
    outcomes = []
    mapping = mapping_typed(arguments)
    with (
        changed_store(arguments) as store,
        given_files(arguments.files) as given,
        TemporaryDirectory(prefix="coalescope-") as folder,
    ):
        for file in with_foreign_together(given, arguments.set, Path(folder)):
            outcome = (
                file
                if isinstance(file, FileOutcome)
                else with_what_was_seen(
                    _import(store, file, arguments, mapping), file, arguments, ("import",)
                )
            )
            outcomes.append(outcome)
            report(outcome, arguments)
    return conclude(outcomes, arguments)


def _import(
    store: Store, file: GivenFile, arguments: Namespace, mapping: TableMapping | None
) -> FileOutcome:
    asked = UploadRequest(
        file.name,
        arguments.experiment,
        arguments.title,
        arguments.kind,
        arguments.citation,
        override_source=arguments.override_source,
        choice=arguments.choice,
        no_choice=arguments.no_choice,
        mapping=mapping,
    )
    return import_file(store, file, asked, Reading.within(settings_of(arguments)))
