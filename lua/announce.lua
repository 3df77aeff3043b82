-- announce.lua: packets are about to be added to a rain; nobody may be told "nothing left" for what was found before.
--
-- KEYS[1] state    hash: total (packets of all shards); drained is deleted
-- ARGV    how many packets all shards will have had, the added ones included
-- RETURNS 1; nil no such rain
-- WHY     To be called for every shard before the first packet is added to one. From then on more packets are announced than are
--         loaded, so nobody writes drained, see there, until the last one is there, however long the adding takes.

local total = redis.call('HGET', KEYS[1], 'total')
if redis.call('HEXISTS', KEYS[1], 'state') == 0 then return nil end
redis.call('HSET', KEYS[1], 'total', string.format('%d', math.max(tonumber(total or 0), tonumber(ARGV[1]))))
redis.call('HDEL', KEYS[1], 'drained')
return 1
