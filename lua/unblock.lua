-- unblock.lua: remove one entry from the block list.
--
-- KEYS[1] blocks  hash: "user:<id>" or "address:<network>" -> block JSON, "version" -> text
-- ARGV    the entry's name, the next version, the block JSON that it must still have ("" for any)
-- RETURNS the removed block JSON, or nil: there is none, or a different one
-- WHY     The removal of an expired block must not remove a new block that was added a moment ago.

local entry = redis.call('HGET', KEYS[1], ARGV[1])
if not entry or (ARGV[3] ~= '' and entry ~= ARGV[3]) then return nil end
redis.call('HSET', KEYS[1], 'version', ARGV[2])
redis.call('HDEL', KEYS[1], ARGV[1])
return entry
