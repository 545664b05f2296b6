# SPDX-License-Identifier: Apache-2.0
# An S3 server for tests, which keeps all in memory, in the place of one that keeps files: Debian has none.
ARG BASE
FROM ${BASE}
RUN python3 -m venv /srv/moto && /srv/moto/bin/pip install --no-cache-dir 'moto[server,s3]>=5.1'
COPY bucket.sh /entrypoint
ENTRYPOINT ["sh", "/entrypoint"]
