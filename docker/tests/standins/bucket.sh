# SPDX-License-Identifier: Apache-2.0
# The arguments are versitygw's: a port, and a folder whose folders are buckets.
set -eu
/srv/moto/bin/moto_server -H 0.0.0.0 -p 7070 &
until /srv/moto/bin/python -c 'import urllib.request as u
u.urlopen(u.Request("http://127.0.0.1:7070/coalescope", method="PUT"))'; do sleep 0.2; done
wait
