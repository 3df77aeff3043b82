-- relay.lua: move the relay's cursor over entries of the claim log that the queue has accepted.
--
-- KEYS[1] relayed  string: how many entries of the claim log, counted from the oldest, are with the queue
-- KEYS[2] state    hash
-- ARGV    the cursor as it was read, the cursor as it shall be
-- RETURNS 1 moved; 0 it stood elsewhere, and still does
-- WHY     Two relays may carry the same range when a lease ran out under one of them. Then one of the two moves the
--         cursor and the other learns that it was moved; no cursor jumps over entries that nobody has carried. The first
--         move may come after the rain was settled; then the cursor is to expire with the state, or soon, when that is
--         gone already: nobody would ever remove it.

local ORPHAN_TTL_MS = 3600000

local cursor = redis.call('GET', KEYS[1]) or '0'
if cursor ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[2], 'KEEPTTL')
local ttl = redis.call('PTTL', KEYS[2])
if ttl == -2 then ttl = ORPHAN_TTL_MS end
if ttl >= 0 then redis.call('PEXPIRE', KEYS[1], ttl) end
return 1
