-- look.lua: read what is shown of one shard of a rain, in one step.
--
-- KEYS[1] state    hash
-- KEYS[2] packets  list
-- KEYS[3] claims   list: the claim log
-- KEYS[4] spoiled  list
-- KEYS[5] relayed  string: the relay's cursor
-- ARGV    how many fields state may have, how many bytes those may have in all that are read, then their names
-- RETURNS nil: state is not there, of another type, or larger than ours can be; else the lengths of packets, claims and
--         spoiled, the newest entry of the log (false: none), relayed (false: nothing), then the fields in the order of
--         ARGV (false: absent)
-- WHY     Every gateway reads every open rain once a second: six commands cost Redis twice as much as one script.
--         Anybody who can write to Redis could otherwise exhaust the memory of every reader with one field.

if redis.call('TYPE', KEYS[1]).ok ~= 'hash' or redis.call('HLEN', KEYS[1]) > tonumber(ARGV[1]) then return nil end
local found = redis.call('HMGET', KEYS[1], unpack(ARGV, 3))
local bytes = 0
for _, value in ipairs(found) do bytes = bytes + #(value or '') end
if bytes > tonumber(ARGV[2]) then return nil end
return {
  redis.call('LLEN', KEYS[2]), redis.call('LLEN', KEYS[3]), redis.call('LLEN', KEYS[4]),
  redis.call('LINDEX', KEYS[3], 0), redis.call('GET', KEYS[5]), unpack(found),
}
