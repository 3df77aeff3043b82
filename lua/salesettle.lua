-- salesettle.lua: mark a sale as settled, give what is left back to the shop, and let its keys expire.
--
-- KEYS[1] state        hash: state
-- KEYS[2] stock        hash: sku -> "price:perOrderMax:perUserMax", and sku:units, sku:booked; gets sku:returned
-- KEYS[3] buyers       hash
-- KEYS[4] reservations list
-- KEYS[5] relayed      string
-- KEYS[6] cancels      list
-- ARGV    time to live, ms; how many reservations the audit has counted
-- RETURNS the state now: "settled" if settled, now or earlier; any other state is the reason for a refusal; nil no such
--         sale
-- WHY     Nothing that settlement needs may expire before the sale is settled, so no key has a time to live before.
--         Until it ends, a buyer who asks again still gets the first answer [R6]. A reservation that came into the log
--         after the audit is not part of it: then the sale stays closed and is audited again. The ledger has given back
--         what was left, so all that is not booked is back at the shop; this is counted once, with the change of the
--         state.

local state = redis.call('HGET', KEYS[1], 'state')
if not state then return nil end
if state == 'settled' then
  for i = 1, 6 do if redis.call('PTTL', KEYS[i]) == -1 then redis.call('PEXPIRE', KEYS[i], ARGV[1]) end end
end
if state ~= 'closed' or redis.call('LLEN', KEYS[4]) ~= tonumber(ARGV[2]) then return state end
local stock, returned = redis.call('HGETALL', KEYS[2]), {}
local booked = {}
for i = 1, #stock, 2 do
  local sku = stock[i]:match('^(.+):booked$')
  if sku then booked[sku] = tonumber(stock[i + 1]) end
end
for i = 1, #stock, 2 do
  local sku = stock[i]:match('^(.+):units$')
  if sku then
    returned[#returned + 1] = sku .. ':returned'
    returned[#returned + 1] = string.format('%.0f', tonumber(stock[i + 1]) - (booked[sku] or 0))
  end
end
redis.call('HSET', KEYS[2], unpack(returned))
redis.call('HSET', KEYS[1], 'state', 'settled')
for i = 1, 6 do redis.call('PEXPIRE', KEYS[i], ARGV[1]) end
return 'settled'
