-- load.lua: append one chunk of preallocated packets; the last chunk makes the shard ready.
--
-- KEYS[1] state    hash: state, packets (planned), loaded (so far)
-- KEYS[2] packets  list to push to
-- ARGV    offset of the chunk, then its elements
-- RETURNS how many packets are loaded now; -1 no such rain; -2 the chunk would exceed the plan
-- WHY     The count in the hash changes with the push, so an interrupted load continues where it stopped. A chunk that
--         is sent again after a lost reply is not pushed twice: its offset no longer matches, and the caller gets the
--         count.

local rain = redis.call('HMGET', KEYS[1], 'state', 'packets', 'loaded')
if not rain[1] then return -1 end
local planned, loaded, chunk = tonumber(rain[2]), tonumber(rain[3]), #ARGV - 1
if rain[1] ~= 'draft' or tonumber(ARGV[1]) ~= loaded then return loaded end
if loaded + chunk > planned then return -2 end
redis.call('LLEN', KEYS[2]) -- raises here, before any write, when the key is of another type
redis.call('HSET', KEYS[1], 'loaded', string.format('%d', loaded + chunk))
redis.call('LPUSH', KEYS[2], unpack(ARGV, 2))
if loaded + chunk == planned then redis.call('HSET', KEYS[1], 'state', 'loaded') end
return loaded + chunk
