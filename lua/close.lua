-- close.lua: end a rain for good, at its time or early. From here on neither claims nor packets change.
--
-- KEYS[1] state    hash: state, closesAt (epoch ms)
-- KEYS[2] packets  list
-- KEYS[3] claims   list
-- KEYS[4] spoiled  list
-- ARGV    "early" to end it whatever the clock says, "due" to end it only when its time has come
-- RETURNS {state, packets left, claims, spoiled}; state "closed" or "settled" when ended, now or before; nil no such rain
-- WHY     Recycling counts the list that is left. It must be frozen first, by the same key that grab.lua reads.

local rain = redis.call('HMGET', KEYS[1], 'state', 'closesAt')
if not rain[1] then return nil end
local state, clock = rain[1], redis.call('TIME')
local due = clock[1] * 1000 + math.floor(clock[2] / 1000) >= tonumber(rain[2])
local left = { redis.call('LLEN', KEYS[2]), redis.call('LLEN', KEYS[3]), redis.call('LLEN', KEYS[4]) }
if state ~= 'closed' and state ~= 'settled' and (due or ARGV[1] == 'early') then
  redis.call('HSET', KEYS[1], 'state', 'closed')
  state = 'closed'
end
return { state, left[1], left[2], left[3] }
