-- fields.lua: read a whole hash, unless it is larger than any of ours.
--
-- KEYS[1] hash
-- ARGV    how many fields there may be, and how many bytes in all their values
-- RETURNS field, value, field, value ...; an integer when it is not read: the number of its fields, or -1 for another
--         type
-- WHY     Anybody who can write to Redis could otherwise exhaust the memory of every reader with one key. The size and
--         the content are read in one step, so that no larger hash can be put in between.

local kind = redis.call('TYPE', KEYS[1]).ok
if kind == 'none' then return {} end
if kind ~= 'hash' then return -1 end
local count, bytes = redis.call('HLEN', KEYS[1]), 0
if count > tonumber(ARGV[1]) then return count end
for _, field in ipairs(redis.call('HKEYS', KEYS[1])) do bytes = bytes + redis.call('HSTRLEN', KEYS[1], field) end
if bytes > tonumber(ARGV[2]) then return count end
return redis.call('HGETALL', KEYS[1])
