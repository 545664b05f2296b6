# SPDX-License-Identifier: Apache-2.0
"""coalescope datasets list, and coalescope datasets fetch NAME."""

from argparse import Namespace
from pathlib import Path

from coalescope.cli.local_store import changed_store, changing, settings_of
from coalescope.cli.output import print_json, print_table, printable
from coalescope.datasets.fetching import as_dataset, convert, downloaded, read_from
from coalescope.datasets.loader import load_dataset
from coalescope.datasets.recipes import Recipe, find_recipe, find_recipes
from coalescope.datasets.source import find_datasets
from coalescope.errors import CoalescopeError
from coalescope.store import check_version


def run(arguments: Namespace) -> int:
    """Do what the second word says."""
    folder = _folder(arguments)
    return _list(folder, arguments) if arguments.action == "list" else _fetch(folder, arguments)


def _folder(arguments: Namespace) -> Path:
    folder = settings_of(arguments).datasets_dir
    if folder is None or not folder.is_dir():
        raise CoalescopeError(
            "no_datasets",
            "The data sets are not beside this program.",
            advice="Set COALESCOPE_DATASETS_DIR to the folder that holds them.",
        )
    return folder


def _list(folder: Path, arguments: Namespace) -> int:
    shipped = [
        {"name": each.slug, "kind": each.kind, "fetched": False, "title": each.title}
        for each in find_datasets(folder)
    ]
    fetched = [
        {
            "name": each.slug,
            "kind": each.source["kind"],
            "fetched": True,
            "title": each.source["title"],
            "bytes": each.size_bytes,
            "url": each.url,
            "commit": each.commit,
            "sha256": each.sha256,
            "converter": each.converter,
            "licence": each.source["licence"],
        }
        for each in find_recipes(folder)
    ]
    if arguments.json:
        print_json([*shipped, *fetched])
        return 0
    print_table(
        ("data set", "kind", "comes", "title"),
        [
            (
                each["name"],
                each["kind"],
                f"fetched, {each['bytes']:,} bytes" if each["fetched"] else "with the program",
                each["title"],
            )
            for each in [*shipped, *fetched]
        ],
    )
    return 0


def _fetch(folder: Path, arguments: Namespace) -> int:
    recipe = find_recipe(folder, arguments.name)
    check_version(changing(arguments))  # before anything is downloaded
    _announce(recipe, arguments.copy)
    content = read_from(recipe, arguments.copy) if arguments.copy else downloaded(recipe)
    converted = convert(recipe, content)
    with as_dataset(recipe, converted) as dataset, changed_store(arguments) as store:
        load_dataset(store.database, store.object_store, dataset)
    print(f"SHA-256 is as recorded. {converted.rows:,} rows are in the experiment {recipe.slug}.")
    for reason, count in converted.passed_over.items():
        print(f"Passed over: {count:,} ({reason}).")
    return 0


def _announce(recipe: Recipe, copy: Path | None) -> None:
    """What is about to be fetched, and on what terms: before anything is."""
    told = {
        "data set": f"{recipe.slug}: {recipe.source['title']} ({recipe.source['kind']})",
        "from": str(copy) if copy else recipe.url,
        "commit": recipe.commit,
        "SHA-256": recipe.sha256,
        "size": f"{recipe.size_bytes:,} bytes",
        "converter": recipe.converter,
        "citation": recipe.source["citation"],
        "licence": recipe.source["licence"],
    }
    for name, text in told.items():
        print(f"{name}: {printable(text)}", flush=True)
