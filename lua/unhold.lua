-- unhold.lua: take back the hold of a shard, if it is still the caller's.
--
-- KEYS[1] state    hash: held
-- ARGV    the reason that the caller gave when it set the hold
-- RETURNS 1 taken back; 0 there is no hold, or another one
-- WHY     Somebody else may hold the shard for another reason meanwhile, and that hold must stay.

if redis.call('HGET', KEYS[1], 'held') ~= ARGV[1] then return 0 end
return redis.call('HDEL', KEYS[1], 'held')
