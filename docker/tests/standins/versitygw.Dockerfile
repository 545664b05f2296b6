# SPDX-License-Identifier: Apache-2.0
# This machine's versitygw where the official image has it.
ARG BASE
FROM ${BASE}
COPY versitygw /usr/local/bin/versitygw
ENTRYPOINT ["versitygw"]
