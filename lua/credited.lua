-- credited.lua: record the claims that are in the ledger, for later joins.
--
-- KEYS[1] state    hash
-- KEYS[2] credited set to add to
-- ARGV    mark of a claim x n, see `creditMark` in src/store/signer.ts, 1 <= n <= 512
-- RETURNS 1 recorded; 0 the rain's keys have expired
-- WHY     A claim may be credited again, late. The set must then expire with the state, even if it is created after the
--         settlement. A rain whose keys have expired must not get a new key that never expires.

local ttl = redis.call('PTTL', KEYS[1])
if ttl == -2 then return 0 end
redis.call('SADD', KEYS[2], unpack(ARGV))
if ttl >= 0 then redis.call('PEXPIRE', KEYS[2], ttl) end
return 1
