-- The id of a transfer with a packet is `credit:<packet>` or `discard:<packet>` (a check says so), and the packet has a unique key of its
-- own, which is stricter: one of the two. So the index on all ids refused nothing, and cost as much at each credit as any other.
ALTER TABLE "Transfer" DROP CONSTRAINT "Transfer_pkey";

-- For those who replicate the table logically: without a primary key an erasure is replicated by the whole row.
ALTER TABLE "Transfer" REPLICA IDENTITY FULL;
