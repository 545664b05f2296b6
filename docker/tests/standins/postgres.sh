# SPDX-License-Identifier: Apache-2.0
# Makes the database where there is none, then becomes the command.
set -eu
data=/var/lib/postgresql/data
as_postgres() { runuser --user postgres -- "$@"; }
mkdir -p /run/postgresql
chown postgres "$data" /run/postgresql
if [ ! -s "$data/PG_VERSION" ]; then
	printf '%s' "$POSTGRES_PASSWORD" > /tmp/password
	chown postgres /tmp/password
	as_postgres initdb -D "$data" -U "$POSTGRES_USER" --encoding UTF8 --pwfile /tmp/password --auth-local trust --auth-host scram-sha-256
	rm /tmp/password
	echo 'host all all all scram-sha-256' >> "$data/pg_hba.conf"
	as_postgres pg_ctl -D "$data" -w -o '-c listen_addresses=' start
	as_postgres createdb -U "$POSTGRES_USER" "$POSTGRES_DB"
	sleep 5 # who asks by the socket meanwhile hears that it is up, which it is not for good
	as_postgres pg_ctl -D "$data" -w stop
fi
exec runuser --user postgres -- "$@" -D "$data" -c 'listen_addresses=*'
