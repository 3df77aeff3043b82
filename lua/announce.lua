-- announce.lua: packets are about to be added to a rain; nobody may be told "nothing left" for what was found before.
--
-- KEYS[1] state    hash: state, shards, total (packets of all shards); gets elsewhere
-- ARGV    how many packets all shards will have had, the added ones included
-- RETURNS 1; nil no such rain
-- WHY     To be called for every shard before the first packet is added to one. From then on more packets are announced than are
--         loaded, so drained.lua refuses until the last one is there, however long the adding takes.

local rain = redis.call('HMGET', KEYS[1], 'state', 'shards', 'total')
if not rain[1] then return nil end
if not rain[2] then return 1 end -- one shard, or a rain from before packets moved
redis.call('HSET', KEYS[1], 'elsewhere', rain[2], 'total', string.format('%d', math.max(tonumber(rain[3] or 0), tonumber(ARGV[1]))))
return 1
