-- follow.lua: bring reservations to the status that their orders have in the ledger.
--
-- KEYS[1] state   hash: saleId, state; of a sale of a campaign also boughtMax
-- KEYS[2] stock   hash: sku:booked, sku:sold, sku:returned
-- KEYS[3] buyers  hash: userId -> "ordinal:sku:quantity:status:payBy:mac:ref;" for each reservation
-- KEYS[4] bought  hash of the campaign: userId -> units that the user holds in it; unused without boughtMax
-- ARGV    userId, ordinal of the reservation, status (o created, p paid, c cancelled, t timed out, f failed, u
--         refunded), "stock" or "shop": where units go that the order does not hold any more; "none": they stay booked;
--         n times, 1 <= n <= 128
-- RETURNS n numbers: 1 changed now; 0 it had this status before; -2 it has a later one; -1 no such reservation here, or
--         with a status that is none. nil no such sale
-- WHY     The ledger decides, and this may be repeated, be late or come twice: a status only moves forward, so units go
--         back once. Units that went back to the shop stay booked by nobody and are sold to nobody: sku:returned counts
--         them. A reservation that the ledger refuses because it has no units for it keeps them booked: they are
--         somebody else's. The status is written before the counts, and a count that cannot be changed is left to the
--         audit: one that somebody has damaged does not change the others again with each repetition, nor hold up the
--         other orders of the sale.

local RANK = { r = 0, o = 1, p = 2, c = 3, t = 3, f = 3, u = 3 }

local sale = redis.call('HMGET', KEYS[1], 'state', 'boughtMax')
if not sale[1] then return nil end
local answers = {}
local function add(key, field, units) redis.pcall('HINCRBY', key, field, units) end
for i = 1, #ARGV, 4 do
  local user, ordinal, status, to = ARGV[i], ARGV[i + 1], ARGV[i + 2], ARGV[i + 3]
  local entry = ';' .. (redis.call('HGET', KEYS[3], user) or '')
  local first, last, sku, quantity, before = entry:find(';' .. ordinal .. ':([%w_-]+):(%d+):(%a):')
  local answer = not (first and RANK[before]) and -1 or status == before and 0 or RANK[status] <= RANK[before] and -2
    or 1
  if answer == 1 then
    redis.call('HSET', KEYS[3], user, entry:sub(2, last - 2) .. status .. entry:sub(last))
    if status == 'p' then add(KEYS[2], sku .. ':sold', quantity)
    elseif RANK[status] == 3 then
      if to ~= 'none' then add(KEYS[2], sku .. ':booked', -quantity) end
      if before == 'p' then add(KEYS[2], sku .. ':sold', -quantity) end
      if to == 'shop' then add(KEYS[2], sku .. ':returned', quantity) end
      if sale[2] then add(KEYS[4], user, -quantity) end
    end
  end
  answers[#answers + 1] = answer
end
return answers
