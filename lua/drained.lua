-- drained.lua: write down in one shard that no shard of the rain has a packet left.
--
-- KEYS[1] state    hash: total (packets of all shards); elsewhere is deleted
-- KEYS[2] packets  list
-- ARGV    how many packets were loaded into all shards while these were read
-- RETURNS 1 written; 0 more packets are announced, or some are here; nil no such rain
-- WHY     From then on grab.lua answers without asking other shards. Loading more packets announces them in every shard
--         first, which takes this back, see announce.lua; a gateway that has read the shards before or meanwhile is
--         refused here.

local rain = redis.call('HMGET', KEYS[1], 'state', 'total')
if not rain[1] then return nil end
if rain[2] ~= ARGV[1] or redis.call('LLEN', KEYS[2]) > 0 then return 0 end
redis.call('HDEL', KEYS[1], 'elsewhere')
return 1
