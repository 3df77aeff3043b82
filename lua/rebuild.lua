-- rebuild.lua: append one chunk of packets to the new list of a shard that has lost its state.
--
-- KEYS[1] state    hash: state; missing, or of a draft
-- KEYS[2] rebuilt  list, expiring: at the tail the digest of the whole list, then packets as in the list of packets
-- ARGV    digest, offset of the chunk, its elements
-- RETURNS how many packets the new list has now; -1 the shard has a state: nothing was written
-- WHY     The list grows aside, and revive.lua puts it in its place when it is complete. The offset makes a chunk that
--         is sent again harmless. If two operators rebuild different lists at once, the digest keeps them from being
--         mixed: the later one starts anew, and the other finds another count than it expected.

local LIFE_MS = 3600000 -- a rebuild that was interrupted leaves nothing behind after an hour

local state = redis.call('HGET', KEYS[1], 'state')
if state and state ~= 'draft' then return -1 end
if redis.call('LINDEX', KEYS[2], -1) ~= ARGV[1] then
  redis.call('DEL', KEYS[2])
  redis.call('LPUSH', KEYS[2], ARGV[1])
end
if redis.call('LLEN', KEYS[2]) - 1 == tonumber(ARGV[2]) and #ARGV > 2 then
  redis.call('LPUSH', KEYS[2], unpack(ARGV, 3))
end
redis.call('PEXPIRE', KEYS[2], LIFE_MS)
return redis.call('LLEN', KEYS[2]) - 1
