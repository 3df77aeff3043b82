-- close.lua: end a rain for good, at its time or early. After this, neither claims nor packets change.
--
-- KEYS[1] state    hash: state, closesAt (epoch ms)
-- ARGV    "early" to end it at any time, "due" to end it only if its time has come
-- RETURNS the state now: "closed" or "settled" if it has ended, now or earlier; nil no such rain
-- WHY     Settlement counts the remaining packets. So they must not change any more, by the same key that grab.lua
--         reads.

local rain = redis.call('HMGET', KEYS[1], 'state', 'closesAt')
if not rain[1] then return nil end
if rain[1] == 'closed' or rain[1] == 'settled' then return rain[1] end
local clock = redis.call('TIME')
local due = clock[1] * 1000 + math.floor(clock[2] / 1000) >= tonumber(rain[2])
if not due and ARGV[1] ~= 'early' then return rain[1] end
redis.call('HSET', KEYS[1], 'state', 'closed')
return 'closed'
