-- close.lua: end a rain for good, at its time or early. From here on neither claims nor packets change.
--
-- KEYS[1] state    hash: state, closesAt (epoch ms)
-- ARGV    "early" to end it whatever the clock says, "due" to end it only when its time has come
-- RETURNS the state now: "closed" or "settled" when ended, now or before; nil no such rain
-- WHY     Settlement counts what is left. It must be frozen first, by the same key that grab.lua reads.

local rain = redis.call('HMGET', KEYS[1], 'state', 'closesAt')
if not rain[1] then return nil end
if rain[1] == 'closed' or rain[1] == 'settled' then return rain[1] end
local clock = redis.call('TIME')
local due = clock[1] * 1000 + math.floor(clock[2] / 1000) >= tonumber(rain[2])
if not due and ARGV[1] ~= 'early' then return rain[1] end
redis.call('HSET', KEYS[1], 'state', 'closed')
return 'closed'
