# SPDX-License-Identifier: Apache-2.0
# Page and API in one image. Build arguments let the base images come from a mirror.
ARG PYTHON_IMAGE=python:3.13-slim-bookworm
ARG NODE_IMAGE=node:22-bookworm-slim

FROM ${PYTHON_IMAGE} AS python-packages
WORKDIR /srv/coalescope
RUN python3 -m venv .venv
COPY requirements.lock .
RUN .venv/bin/pip install --no-cache-dir --require-hashes -r requirements.lock
COPY models models
COPY host host
COPY backend backend
RUN .venv/bin/pip install --no-cache-dir --no-build-isolation --no-deps ./models ./host ./backend

FROM ${NODE_IMAGE} AS page
RUN apt-get update && apt-get install -y --no-install-recommends python3 && rm -rf /var/lib/apt/lists/*
WORKDIR /srv/coalescope/frontend
COPY frontend/package.json frontend/package-lock.json frontend/.npmrc ./
RUN npm ci
COPY models/src ../models/src
COPY frontend .
# The part of the models that the page needs is standard library only.
RUN COALESCOPE_PYTHON=python3 PYTHONPATH=../models/src npm run build

FROM ${PYTHON_IMAGE}
RUN useradd --system --uid 10001 --home-dir /srv/coalescope coalescope \
	&& mkdir -p /srv/coalescope/data && chown coalescope /srv/coalescope/data
WORKDIR /srv/coalescope
COPY --from=python-packages /srv/coalescope/.venv .venv
COPY --from=page /srv/coalescope/frontend/dist frontend/dist
COPY datasets datasets
USER coalescope
ENV PATH=/srv/coalescope/.venv/bin:$PATH \
	COALESCOPE_DATA_DIR=/srv/coalescope/data \
	COALESCOPE_DATASETS_DIR=/srv/coalescope/datasets \
	COALESCOPE_PAGE_DIR=/srv/coalescope/frontend/dist
VOLUME /srv/coalescope/data
HEALTHCHECK --interval=10s --timeout=3s CMD ["python3", "-c", "import urllib.request; urllib.request.urlopen('http://127.0.0.1:8000/api/health', timeout=2)"]
CMD ["coalescope", "serve"]
