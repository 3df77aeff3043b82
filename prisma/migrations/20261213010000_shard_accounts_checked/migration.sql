-- Reads every transfer, and lets credits go on: a constraint is validated under a lock that they do not wait for.
-- So it may wait, for a vacuum for instance, longer than a migration waits by default.
SET LOCAL lock_timeout = '60s';
ALTER TABLE "Rain" VALIDATE CONSTRAINT "Rain_accounts_1_or_one_a_shard";
ALTER TABLE "Transfer" VALIDATE CONSTRAINT "Transfer_parties_fit_kind";
ALTER TABLE "Transfer" VALIDATE CONSTRAINT "Transfer_id_names_what_it_moves";
