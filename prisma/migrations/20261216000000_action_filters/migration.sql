-- What is asked of the record of actions: by verb, by actor, by time, and always the latest first.
CREATE INDEX CONCURRENTLY IF NOT EXISTS "OperatorAction_verb_at_id_idx" ON "OperatorAction"("verb", "at", "id");
