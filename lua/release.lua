-- release.lua: end a hold.
--
-- KEYS[1] state    hash: held
-- ARGV    the reason for which it was held
-- RETURNS 1 released; 0 it was not held for this reason
-- WHY     Another process may hold the rain for another reason meanwhile. That hold stays.

if redis.call('HGET', KEYS[1], 'held') ~= ARGV[1] then return 0 end
return redis.call('HDEL', KEYS[1], 'held')
