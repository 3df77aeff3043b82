-- resume.lua: grant again after a pause.
--
-- KEYS[1] state    hash: state, closesAt (epoch ms)
-- ARGV    none
-- RETURNS the state now: "loaded" if it grants, now or earlier; any other state is the reason for a refusal; nil no
--         such rain
-- WHY     Only a paused rain becomes loaded here: a draft has packets missing, a closed one stays closed.

local rain = redis.call('HMGET', KEYS[1], 'state', 'closesAt')
if not rain[1] then return nil end
local clock = redis.call('TIME')
if clock[1] * 1000 + math.floor(clock[2] / 1000) >= tonumber(rain[2]) then return 'closed' end
if rain[1] ~= 'paused' then return rain[1] end
redis.call('HSET', KEYS[1], 'state', 'loaded')
return 'loaded'
