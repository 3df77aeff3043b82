-- The same by time alone, and without a filter.
CREATE INDEX CONCURRENTLY IF NOT EXISTS "OperatorAction_at_id_idx" ON "OperatorAction"("at", "id");
