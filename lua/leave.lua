-- leave.lua: a round of a campaign is settled; with the last one the campaign's wins begin to expire.
--
-- KEYS[1] wins     hash of the campaign
-- KEYS[2] rounds   set of the campaign: rounds that are not settled
-- ARGV    round, time to live of the wins, ms
-- RETURNS how many rounds go on
-- WHY     As long as anybody may still grab in any round, all wins count. Whether this is the last round is asked where
--         another one would enter (enlist.lua), so that of two at once one sees the other.

redis.call('SREM', KEYS[2], ARGV[1])
local left = redis.call('SCARD', KEYS[2])
if left == 0 then redis.call('PEXPIRE', KEYS[1], ARGV[2]) end
return left
