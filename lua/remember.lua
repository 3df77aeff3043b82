-- remember.lua: write a user's missing entry of the dedupe hash again, as the claim log has it.
--
-- KEYS[1] state    hash
-- KEYS[2] claimed  hash: userId -> claim JSON
-- KEYS[3] claims   list: the claim log, newest at the head
-- ARGV    userId, claim JSON, its position in the log (the oldest is 0)
-- RETURNS 1 written; 0 the user has an entry; -1 the log does not have this claim there, or there is no such rain
-- WHY     Without the entry the user would be told a second packet. The caller has checked the claim against the plan;
--         here only what may have changed since is checked again. A hash that is created must expire with the state.

local ttl = redis.call('PTTL', KEYS[1])
if ttl == -2 or redis.call('LINDEX', KEYS[3], -1 - tonumber(ARGV[3])) ~= ARGV[2] then return -1 end
local written = redis.call('HSETNX', KEYS[2], ARGV[1], ARGV[2])
if ttl >= 0 then redis.call('PEXPIRE', KEYS[2], ttl) end
return written
