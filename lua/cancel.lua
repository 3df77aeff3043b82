-- cancel.lua: write down that a buyer wishes to cancel a reservation.
--
-- KEYS[1] state   hash: state
-- KEYS[2] buyers  hash: userId -> "ordinal:sku:quantity:status:payBy:mac:ref;" for each reservation
-- KEYS[3] cancels list: "userId ordinal mac", the newest at the head
-- ARGV    userId, ordinal of the reservation, mac
-- RETURNS the status that the reservation has now, one letter as in follow.lua; '' the user has no such reservation;
--         "full" the wish is not written down, since the list is at its end; nil no such sale
-- WHY     The ledger decides, and a gateway does not reach it: a worker takes the wish from here. Only a reservation
--         that is not paid is cancelled; a wish that is repeated is in the list twice, and that is harmless. The list
--         has an end [R10], and who meets it is told. Somebody else may have filled it: workers know the signatures of
--         gateways, and clear away the rest.

local WISHES_MAX = 100000 -- far more than buyers cancel between two rounds of a worker

if not redis.call('HGET', KEYS[1], 'state') then return nil end
local entry = ';' .. (redis.call('HGET', KEYS[2], ARGV[1]) or '')
local status = entry:match(';' .. ARGV[2] .. ':[%w_-]+:%d+:(%a):')
if not status then return '' end
if status == 'r' or status == 'o' then
  if redis.call('LLEN', KEYS[3]) >= WISHES_MAX then return 'full' end
  redis.call('LPUSH', KEYS[3], ARGV[1] .. ' ' .. ARGV[2] .. ' ' .. ARGV[3])
end
return status
