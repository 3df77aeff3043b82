-- unblock.lua: takes one entry out of the block list.
--
-- KEYS[1] blocks  hash: "user:<id>" or "address:<network>" -> block JSON, "version" -> text
-- ARGV    the entry's name, the next version, the block JSON it must still have ("" for any)
-- RETURNS the block JSON that was taken out, or nil: there is none, or another
-- WHY     Whoever clears away a block whose time is over must not take out one that was put there anew a moment ago.

local entry = redis.call('HGET', KEYS[1], ARGV[1])
if not entry or (ARGV[3] ~= '' and entry ~= ARGV[3]) then return nil end
redis.call('HSET', KEYS[1], 'version', ARGV[2])
redis.call('HDEL', KEYS[1], ARGV[1])
return entry
