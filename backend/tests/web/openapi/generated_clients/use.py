# SPDX-License-Identifier: Apache-2.0
"""Upload a table, list the experiments, fit one, with the client that was generated."""

import sys
from io import BytesIO
from pathlib import Path

from coalescope_client import Client
from coalescope_client.api.experiments import list_experiments
from coalescope_client.api.fits import create_fit
from coalescope_client.api.uploads import upload_file
from coalescope_client.models import FitIn
from coalescope_client.types import File

client = Client(base_url=sys.argv[1])
table = Path(sys.argv[2])
receipt = upload_file.sync(
    client=client, body=File(BytesIO(table.read_bytes())), filename=table.name
)
found = list_experiments.sync(client=client)
fit = create_fit.sync(
    receipt.experiment.slug,
    client=client,
    body=FitIn.from_dict({"model": "cpu-overhead", "response": "system_cpu_s", "resamples": 100}),
)
is_listed = receipt.experiment.slug in [each.slug for each in found]
sys.stdout.write(f"{is_listed} {fit.estimates['alpha'].value}\n")
