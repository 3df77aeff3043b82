-- credited.lua: note whose claims are in the book, for whoever joins later.
--
-- KEYS[1] state    hash
-- KEYS[2] credited set to add to
-- ARGV    userId x n, 1 <= n <= 512
-- RETURNS 1 noted; 0 the rain's keys have expired
-- WHY     A claim may be credited once more, late. Then the set is to expire with the state, also when it is born after
--         the rain was settled, and a rain that is gone must not get back a key that never goes.

local ttl = redis.call('PTTL', KEYS[1])
if ttl == -2 then return 0 end
redis.call('SADD', KEYS[2], unpack(ARGV))
if ttl >= 0 then redis.call('PEXPIRE', KEYS[2], ttl) end
return 1
