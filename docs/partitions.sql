-- SPDX-License-Identifier: Apache-2.0
-- Divides the measures of a store in PostgreSQL into partitions of so many runs (docs/scaling.md); `psql` reads it as
-- the owner of the tables. Nobody can read or write meanwhile, and it is done as a whole or not at all.
BEGIN;
LOCK run_measures;
ALTER TABLE run_measures RENAME TO undivided_run_measures;
ALTER TABLE undivided_run_measures RENAME CONSTRAINT pk_run_measures TO pk_undivided_run_measures;
CREATE TABLE run_measures (LIKE undivided_run_measures INCLUDING DEFAULTS) PARTITION BY RANGE (run_id);
CREATE TABLE run_measures_beyond PARTITION OF run_measures DEFAULT;
DO $$
DECLARE
	partitions CONSTANT integer := 20;
	runs CONSTANT bigint := coalesce(current_setting('coalescope.runs_in_a_partition', true), '50000000');
BEGIN
	FOR number IN 0 .. partitions - 1 LOOP
		EXECUTE format('CREATE TABLE run_measures_%s PARTITION OF run_measures FOR VALUES FROM (%s) TO (%s)',
			number, number * runs, (number + 1) * runs);
	END LOOP;
END $$;
INSERT INTO run_measures SELECT * FROM undivided_run_measures;
DROP TABLE undivided_run_measures;
ALTER TABLE run_measures
	ADD CONSTRAINT pk_run_measures PRIMARY KEY (run_id, measure),
	ADD CONSTRAINT fk_run_measures_run_id FOREIGN KEY (run_id) REFERENCES runs (id);
COMMIT;
ANALYZE run_measures;
