-- relay.lua: move the relay's cursor over entries of the claim log that the queue has accepted.
--
-- KEYS[1] relayed  string: how many entries of the claim log, counted from the oldest, are with the queue
-- KEYS[2] state    hash
-- KEYS[3] lease    string: which relay carries this shard
-- ARGV    the relay's name, the cursor as it was read, the cursor as it shall be
-- RETURNS "moved"; otherwise nothing has changed: "shard_gone"; "lease_lost" it is not this relay's, or not any more;
--         "moved_by_another" the cursor stood elsewhere
-- WHY     Two relays may carry the same range when a lease ran out under one of them. Then one of the two moves the
--         cursor and the other is refused; no cursor jumps over entries that nobody has carried. Redis may have been
--         emptied since the log was read: a cursor written then would never go away, and nobody would ever read it. The
--         first move may come after the rain was settled; then the cursor is to expire with the state.

local ttl = redis.call('PTTL', KEYS[2])
if ttl == -2 then return 'shard_gone' end
if redis.call('GET', KEYS[3]) ~= ARGV[1] then return 'lease_lost' end
local cursor = redis.call('GET', KEYS[1]) or '0'
if cursor ~= ARGV[2] then return 'moved_by_another' end
redis.call('SET', KEYS[1], ARGV[3], 'KEEPTTL')
if ttl >= 0 then redis.call('PEXPIRE', KEYS[1], ttl) end
return 'moved'
