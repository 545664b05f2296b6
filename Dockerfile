# SPDX-License-Identifier: Apache-2.0
# Page and API in one image; docs/docker.md says how to run it. Both base images have to be Debian (or a
# relative of it), with Python 3.11 or newer and Node 20 or newer; the arguments let them come from elsewhere.
# docs/docker.md says how the digests, which are of all architectures, are renewed.
ARG PYTHON_IMAGE=python:3.13.15-slim-trixie@sha256:7c61056e61ac89e852de05f3dc6fa51a6dd2181797bceed46aa725dd7cb2cd3b
ARG NODE_IMAGE=node:24.21.0-trixie-slim@sha256:8ec5d7557396cfe32d21c3f9c13072355ceab22b584578ca4bb28af31120cffe
# requirements-scale.lock adds what PostgreSQL, S3 and Dask need.
ARG PACKAGES=requirements.lock

FROM ${PYTHON_IMAGE} AS python-packages
ARG PACKAGES
WORKDIR /srv/coalescope
RUN python3 -m venv .venv
COPY ${PACKAGES} .
# The packages' own tests, a sixth of them, are left out, and are not compiled.
RUN .venv/bin/pip install --no-cache-dir --no-compile --require-hashes -r ${PACKAGES} \
	&& find .venv/lib -type d -name tests -prune -exec rm -r {} + \
	&& .venv/bin/python -m compileall -q .venv/lib

FROM ${NODE_IMAGE} AS page
# Python traces the models while the page is built, and packs what reads files in the browser; the standard
# library is enough for that.
RUN command -v python3 \
	|| { apt-get update && apt-get install --yes --no-install-recommends python3 && rm -rf /var/lib/apt/lists/*; }
WORKDIR /srv/coalescope/frontend
COPY frontend/package.json frontend/package-lock.json frontend/.npmrc ./
RUN npm ci
COPY models/src ../models/src
COPY host/src ../host/src
COPY backend/src ../backend/src
COPY docs/published-vs-predicted.md ../docs/
COPY frontend .
RUN npm run build

# The wheel, which has page and data sets inside and is not built without its page.
FROM python-packages AS wheel-build
COPY models models
COPY host host
COPY backend backend
COPY datasets datasets
COPY --from=page /srv/coalescope/frontend/dist frontend/dist
RUN .venv/bin/pip wheel --no-cache-dir --no-index --no-build-isolation --no-deps --wheel-dir wheels ./backend

# One that is built already can take its place, and no page is built: --build-context wheel=dist
FROM scratch AS wheel
COPY --from=wheel-build /srv/coalescope/wheels /

# The wheel, and nothing else of this project.
FROM python-packages AS installed
COPY --from=wheel coalescope-*.whl wheels/
# What installs goes last: nothing is installed in the image that runs.
RUN .venv/bin/pip install --no-cache-dir --no-index --no-deps wheels/coalescope-*.whl \
	&& .venv/bin/pip uninstall --yes setuptools pip

FROM ${PYTHON_IMAGE}
WORKDIR /srv/coalescope
RUN useradd --uid 10001 --no-create-home --home-dir /srv/coalescope --shell /usr/sbin/nologin coalescope \
	&& install --directory --owner coalescope --group coalescope --mode 700 data
COPY --from=installed /srv/coalescope/.venv .venv
USER coalescope
ENV PATH=/srv/coalescope/.venv/bin:$PATH \
	COALESCOPE_DATA_DIR=/srv/coalescope/data
VOLUME /srv/coalescope/data
# Asks where the environment says that the server listens, with its token if it has one.
HEALTHCHECK --interval=30s --timeout=5s CMD ["python3", "-c", "\
import http.client, os, sys; \
server = http.client.HTTPConnection(os.getenv('COALESCOPE_HOST', '127.0.0.1'), os.getenv('COALESCOPE_PORT', '8000'), timeout=4); \
server.request('GET', '/api/health', headers={'Authorization': 'Bearer ' + os.getenv('COALESCOPE_TOKEN', '')}); \
sys.exit(server.getresponse().status != 200)"]
CMD ["coalescope", "serve"]
