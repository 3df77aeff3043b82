-- One statement, outside of a transaction: credits go on while the index is built. It has the few transfers without a packet: a rain is
-- funded and recycled once. For the others the unique key on the packet says the same, see the next migration.
CREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS "Transfer_id_key" ON "Transfer"("id") WHERE ("redPacketId" IS NULL);
