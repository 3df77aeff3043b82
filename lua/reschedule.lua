-- reschedule.lua: move the window of a rain that has not opened yet.
--
-- KEYS[1] state    hash: state, opensAt, closesAt (epoch ms)
-- ARGV    new opensAt, new closesAt (epoch ms)
-- RETURNS 1 moved, now or earlier; 0 the rain has opened, or is over; nil no such rain
-- WHY     The window is changed under the same key and clock that grab.lua reads, so no grab sees half of the old
--         window and half of the new one [R7]. A rain that has opened is not closed again: it keeps its start, unless
--         the new start has passed as well. This exception lets a reschedule that was interrupted between two shards
--         finish.

local rain = redis.call('HMGET', KEYS[1], 'state', 'opensAt', 'closesAt')
if not rain[1] then return nil end
if rain[2] == ARGV[1] and rain[3] == ARGV[2] then return 1 end
if rain[1] == 'closed' or rain[1] == 'settled' then return 0 end
local clock = redis.call('TIME')
local now = clock[1] * 1000 + math.floor(clock[2] / 1000)
if rain[1] ~= 'draft' and now >= tonumber(rain[2]) and (now < tonumber(ARGV[1]) or now >= tonumber(rain[3])) then
  return 0
end
redis.call('HSET', KEYS[1], 'opensAt', ARGV[1], 'closesAt', ARGV[2])
return 1
