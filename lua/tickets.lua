-- tickets.lua: set when a rain or sale requires tickets and a proof of work, at any time before its end.
--
-- KEYS[1] state    hash of a shard of a rain, or of a sale: state
-- ARGV    the rules, as src/rain/ticketRules.ts writes them; '' for none
-- RETURNS 1 they are these now; 0 it is over; nil there is no such rain or sale
-- WHY     grab.lua and reserve.lua grant only to a gateway that has checked the rules that stand here. So from this
--         step on no gateway that has not heard of them grants anything.

local state = redis.call('HGET', KEYS[1], 'state')
if not state then return nil end
if state == 'closed' or state == 'settled' then return 0 end
redis.call('HSET', KEYS[1], 'ticketRules', ARGV[1])
return 1
