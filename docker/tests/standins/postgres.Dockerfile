# SPDX-License-Identifier: Apache-2.0
# Debian's PostgreSQL behind what the compose file takes of the official image: three variables, one volume.
ARG BASE
FROM ${BASE}
RUN apt-get update && apt-get install --yes --no-install-recommends postgresql && rm -rf /var/lib/postgresql/*/main \
	&& ln -s /usr/lib/postgresql/*/bin/* /usr/local/bin/
COPY postgres.sh /entrypoint
ENTRYPOINT ["sh", "/entrypoint"]
