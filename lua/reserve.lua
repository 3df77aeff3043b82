-- reserve.lua: decide for a whole batch of buyers of one sale in one atomic step.
--
-- KEYS[1] state        hash: state, opensAt, closesAt (epoch ms), holdMs, perUserMax, made (reservations so
--         far), held (a reason, or none); of a sale of a campaign also boughtMax; ticketRules (see tickets.lua, or
--         none)
-- KEYS[2] stock        hash: sku -> "price:perOrderMax:perUserMax", and sku:units, sku:booked, sku:sold, sku:returned
-- KEYS[3] buyers       hash: userId -> "ordinal:sku:quantity:status:payBy:mac:ref;" for each reservation, the oldest
--         first
-- KEYS[4] reservations list: the reservation log, newest at the head
-- KEYS[5] bought       hash of the campaign: userId -> units that the user holds in it; unused without boughtMax
-- ARGV    userId, sku, quantity, ref ('' for none), mac; n times, 1 <= n <= 512; a user may appear twice; then the
--         ticket rules that the caller has checked
-- RETURNS n strings in the order of ARGV: "0" and the new reservation as in buyers, or "1" and all reservations of the
--         user, one of which is the answer; else a code, "-8" before "-7" of a held sale before "-2" "-3" "-4" before
--         "-7" of other ticket rules before "-14" before "-13" "-11" before "-15" "-12" "-1"
-- WHY     A script is atomic but not rolled back. So everything that can fail comes before the first write or is that
--         first write: LPUSH, which Redis may refuse when out of memory or for another type. Refusing writes nothing
--         [R11]. The purchase and all of its limits are one step, so that two purchases cannot both pass. A quantity is
--         checked here too, whatever the caller has checked: a quantity below 1 would make stock. Without a ref a
--         purchase that still holds units is repeated; with one, the purchase of that ref, whatever became of it. The
--         signature of a purchase is passed on unchecked: only gateways and workers have the key. Texts are joined once
--         for each reservation, and a buyer without an entry skips what reads it: most purchases are a buyer's first.

-- Characters of a user's reservations, released ones included, so that no entry grows for ever [R10]
local ENTRY_MAX = 1400

local checked, sale = table.remove(ARGV), redis.call('HMGET', KEYS[1], 'state', 'opensAt', 'closesAt', 'ticketRules',
  'holdMs', 'perUserMax', 'made', 'held', 'boughtMax')
-- From the key: a field could have been changed. A round is named after its campaign.
local sale_id, round = KEYS[1]:match('^sale:{([^}]+)}:(%d*)')
if round ~= '' then sale_id = sale_id .. '.' .. round end
local users, items, names, entries, counts = {}, {}, {}, {}, {}
local log, answers, booked, changed, totals = {}, {}, {}, {}, {}
for i = 1, #ARGV, 5 do
  local sku, n = ARGV[i + 1], #names
  users[#users + 1] = ARGV[i]
  if not items[sku] then
    items[sku], names[n + 1], names[n + 2], names[n + 3], names[n + 4], names[n + 5] =
      n, sku, sku .. ':units', sku .. ':booked', sku .. ':sold', sku .. ':returned'
  end
end
local buyers, stock = redis.call('HMGET', KEYS[3], unpack(users)), redis.call('HMGET', KEYS[2], unpack(names))
local bought = sale[9] and redis.call('HMGET', KEYS[5], unpack(users)) or {}
local refusal, clock = nil, redis.call('TIME')
local now = clock[1] * 1000 + math.floor(clock[2] / 1000)

if not sale[1] then refusal = '-8'
elseif sale[8] and sale[8] ~= '' then refusal = '-7'
elseif sale[1] == 'closed' or sale[1] == 'settled' or sale[1] ~= 'draft' and now >= tonumber(sale[3]) then
  refusal = '-3'
elseif sale[1] == 'draft' or now < tonumber(sale[2]) then refusal = '-2'
elseif sale[1] == 'paused' then refusal = '-4' elseif (sale[4] or '') ~= checked then refusal = '-7' end

for sku, n in pairs(items) do
  local price, per_order, per_user = (stock[n + 1] or ''):match('^([%d.]+):(%d+):(%d+)$')
  items[sku] = price and { price = price, per_order = tonumber(per_order), per_user = tonumber(per_user),
    booked = tonumber(stock[n + 3] or 0),
    sold = tonumber(stock[n + 4] or 0), units = stock[n + 2] - (stock[n + 5] or 0) }
end
-- The same for every reservation of this call.
local pay_by, made, per_sale, campaign_max = sale[5] and string.format('%.0f', now + sale[5]), tonumber(sale[7] or 0),
  tonumber(sale[6] or '') or math.huge, tonumber(sale[9] or '') or math.huge
local first, last = '{"saleId":"' .. sale_id .. '","reservationId":"' .. sale_id .. '-',
  '"at":"' .. string.format('%.0f', now) .. '","payBy":"' .. (pay_by or '') .. '","mac":"'

for i, user in ipairs(users) do
  local sku, quantity, ref, mac = ARGV[5 * i - 3], ARGV[5 * i - 2], ARGV[5 * i - 1], ARGV[5 * i]
  local entry, item, count = entries[user] or buyers[i] or '', items[sku],
    quantity:find('^[1-9]%d?%d?%d?$') and tonumber(quantity)
  local of_item, of_sale, of_campaign, answer = 0, 0, tonumber(counts[user] or bought[i] or 0), nil
  if entry ~= '' then
    for its, units in entry:gmatch('%d+:([%w_-]+):(%d+):[rop]:') do
      of_item, of_sale = of_item + (its == sku and units or 0), of_sale + units
    end
    answer = (ref == '' and entry:find(':[rop]:%d+:[%w_-]*:;') or ref ~= '' and entry:find(':' .. ref .. ';', 1, true))
      and '1' .. entry
  end
  answers[i] = answer or refusal
    or (not item or not count or count > item.per_order) and '-14'
    or (of_item + count > item.per_user or of_sale + count > per_sale or #entry > ENTRY_MAX) and '-13'
    or of_campaign + count > campaign_max and '-11'
    or item.units - item.booked < count and
      (item.units > item.booked and '-15' or item.booked > item.sold and '-12' or '-1')
  if not answers[i] then
    made, item.booked, counts[user] = made + 1, item.booked + count, of_campaign + count
    local number = string.format('%.0f', made)
    local mine = number .. ':' .. sku .. ':' .. quantity .. ':r:' .. pay_by .. ':' .. mac .. ':' .. ref .. ';'
    entry = entry .. mine
    answers[i], entries[user], booked[sku], changed[#changed + 1], changed[#changed + 2] =
      '0' .. mine, entry, item, user, entry
    if sale[9] then totals[#totals + 1], totals[#totals + 2] = user, counts[user] end
    log[#log + 1] = first .. number .. '","userId":' .. cjson.encode(user) .. ',"sku":"' .. sku .. '","quantity":'
      .. quantity .. ',"price":"' .. item.price .. '",'
      .. (ref ~= '' and '"ref":"' .. ref .. '",' or '') .. last .. mac .. '"}'
  end
end
if #log > 0 then
  local counters = {}
  for sku, item in pairs(booked) do
    counters[#counters + 1], counters[#counters + 2] = sku .. ':booked', string.format('%.0f', item.booked)
  end
  redis.call('LPUSH', KEYS[4], unpack(log))
  redis.call('HSET', KEYS[2], unpack(counters))
  redis.call('HSET', KEYS[1], 'made', string.format('%.0f', made))
  -- A user who comes twice is written twice: the later entry holds both reservations.
  redis.call('HSET', KEYS[3], unpack(changed))
  if sale[9] then redis.call('HSET', KEYS[5], unpack(totals)) end
end
return answers
