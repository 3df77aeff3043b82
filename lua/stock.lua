-- stock.lua: add units to an item of a sale that is not over.
--
-- KEYS[1] state hash: state, closesAt (epoch ms), added (numbers of the top-ups that are in, such as ",1,2,")
-- KEYS[2] stock hash: sku -> "price:perOrderMax:perUserMax", and sku:units
-- ARGV    number of the top-up, from 1; sku, units
-- RETURNS 1 added; 0 added before; -1 no such sale; -2 it has no such item; -3 it is over
-- WHY     The number is stored with the units, so that a top-up that is sent again after a lost reply adds nothing. A
--         sale that is over, by the clock that reserve.lua reads, is not changed any more.

local sale = redis.call('HMGET', KEYS[1], 'state', 'closesAt', 'added')
if not sale[1] then return -1 end
local mine = ',' .. ARGV[1] .. ','
if (sale[3] or ''):find(mine, 1, true) then return 0 end
if redis.call('HEXISTS', KEYS[2], ARGV[2]) == 0 then return -2 end
local clock = redis.call('TIME')
if sale[1] == 'closed' or sale[1] == 'settled'
  or clock[1] * 1000 + math.floor(clock[2] / 1000) >= tonumber(sale[2]) then return -3 end
redis.call('HINCRBY', KEYS[2], ARGV[2] .. ':units', ARGV[3])
redis.call('HSET', KEYS[1], 'added', (sale[3] or '') .. mine)
return 1
