-- recount.lua: put a field of a sale right that somebody has changed by hand, or that was lost.
--
-- KEYS[1] fields  hash: the stock (sku:booked, sku:sold …), the state, or the units of users in a campaign
-- ARGV    field, what was found there ('' for nothing), what it should have been at that moment
-- RETURNS 1 changed; 0 it is something else by now
-- WHY     Purchases and releases go on meanwhile, and change the right and the wrong count by the same number. So while
--         the field holds what was found, the other count is still the right one.

if (redis.call('HGET', KEYS[1], ARGV[1]) or '') ~= ARGV[2] then return 0 end
redis.call('HSET', KEYS[1], ARGV[1], ARGV[3])
return 1
