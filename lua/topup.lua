-- topup.lua: append one chunk of packets that were added to a rain after it was loaded.
--
-- KEYS[1] state    hash: state, packets (planned), loaded (so far), topUps (JSON: commitments of the added packets),
--         withdrawn
-- KEYS[2] packets  list to push to
-- ARGV    offset of the chunk, new number of planned packets, new top-ups, then the chunk's elements
-- RETURNS how many packets are loaded now; -1 no such rain; -2 the chunk would exceed the plan; -3 it is over; -4 a
--         draft
-- WHY     As in load.lua the count changes with the push, so an interrupted top-up continues where it stopped, and a
--         chunk sent again is not pushed twice. The commitment is stored before its first packet can be won. Pushed at
--         the head, the new packets come after all earlier ones, so no earlier packet changes its turn. The state stays
--         unchanged, so that a paused rain stays paused. A rain that is over, by the clock that grab.lua reads, or that
--         has lost a top-up, see withdraw.lua, is not changed any more.

local rain = redis.call('HMGET', KEYS[1], 'state', 'packets', 'loaded', 'closesAt', 'withdrawn')
if not rain[1] then return -1 end
if rain[1] == 'draft' then return -4 end
local clock = redis.call('TIME')
if rain[5] or rain[1] == 'closed' or rain[1] == 'settled'
  or clock[1] * 1000 + math.floor(clock[2] / 1000) >= tonumber(rain[4]) then
  return -3
end
local planned, loaded, wish, chunk = tonumber(rain[2]), tonumber(rain[3]), tonumber(ARGV[2]), #ARGV - 3
if tonumber(ARGV[1]) ~= loaded then return loaded end
if loaded + chunk > math.max(planned, wish) then return -2 end
redis.call('LLEN', KEYS[2]) -- raises here, before any write, when the key is of another type
-- A caller that knows fewer top-ups than are stored removes none of them.
if wish > planned then redis.call('HSET', KEYS[1], 'packets', ARGV[2], 'topUps', ARGV[3]) end
redis.call('HSET', KEYS[1], 'loaded', string.format('%d', loaded + chunk))
redis.call('HINCRBY', KEYS[1], 'moves', 1) -- see remaining.lua
redis.call('LPUSH', KEYS[2], unpack(ARGV, 4))
return loaded + chunk
