-- arrived.lua: note that a move of this shard's packets has arrived.
--
-- KEYS[1] sending  hash: moveId -> packets, JSON
-- KEYS[2] lent     hash: moveId -> packets, JSON; gets the move
-- ARGV    moveId
-- RETURNS 1 noted; 0 it is not on its way, or was noted before
-- WHY     The move stays as a witness: should its receiver lose it in a failover, it is brought again.

local packets = redis.call('HGET', KEYS[1], ARGV[1])
if not packets then return 0 end
redis.call('HSET', KEYS[2], ARGV[1], packets)
redis.call('HDEL', KEYS[1], ARGV[1])
return 1
