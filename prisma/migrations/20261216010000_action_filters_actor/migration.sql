-- The same by actor. Each index is built by one statement, outside of a transaction, so that actions are recorded meanwhile.
CREATE INDEX CONCURRENTLY IF NOT EXISTS "OperatorAction_actor_at_id_idx" ON "OperatorAction"("actor", "at", "id");
