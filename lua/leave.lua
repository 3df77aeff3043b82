-- leave.lua: remove a settled round from its campaign; after the last one the campaign's wins begin to expire.
--
-- KEYS[1] wins     hash of the campaign
-- KEYS[2] rounds   set of the campaign: rounds that are not settled
-- ARGV    round, time to live of the wins, ms
-- RETURNS how many rounds remain
-- WHY     While anybody may still grab in any round, all wins count. The test for the last round uses the set to which
--         enlist.lua adds, so that of two simultaneous calls one sees the other.

redis.call('SREM', KEYS[2], ARGV[1])
local left = redis.call('SCARD', KEYS[2])
if left == 0 then redis.call('PEXPIRE', KEYS[1], ARGV[2]) end
return left
