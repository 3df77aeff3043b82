-- relay.lua: advance the relay's cursor over entries of the claim log that the queue has accepted.
--
-- KEYS[1] relayed  string: how many entries of the claim log, counted from the oldest, are in the queue
-- KEYS[2] state    hash
-- KEYS[3] lease    string: which relay holds the lease of this shard
-- ARGV    the relay's name, the cursor as it was read, the new cursor
-- RETURNS "moved"; otherwise nothing has changed: "shard_gone"; "lease_lost" this relay does not hold the lease (any
--         more); "moved_by_another" the cursor has another value
-- WHY     If a lease expires during the work, two relays may queue the same range. Then one of them moves the cursor
--         and the other is refused; no cursor skips entries that nobody has queued. Redis may have been emptied since
--         the log was read: a cursor written then would never expire, and nobody would ever read it. The first move may
--         come after the rain was settled; then the cursor must expire with the state.

local ttl = redis.call('PTTL', KEYS[2])
if ttl == -2 then return 'shard_gone' end
if redis.call('GET', KEYS[3]) ~= ARGV[1] then return 'lease_lost' end
local cursor = redis.call('GET', KEYS[1]) or '0'
if cursor ~= ARGV[2] then return 'moved_by_another' end
redis.call('SET', KEYS[1], ARGV[3], 'KEEPTTL')
if ttl >= 0 then redis.call('PEXPIRE', KEYS[1], ttl) end
return 'moved'
