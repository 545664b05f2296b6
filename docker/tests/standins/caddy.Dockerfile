# SPDX-License-Identifier: Apache-2.0
# Debian's Caddy where the official image has it.
ARG BASE
FROM ${BASE}
RUN apt-get update && apt-get install --yes --no-install-recommends caddy
CMD ["caddy", "run", "--config", "/etc/caddy/Caddyfile", "--adapter", "caddyfile"]
