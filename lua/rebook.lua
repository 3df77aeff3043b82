-- rebook.lua: put back reservations that buyers were told, and that Redis has lost.
--
-- KEYS[1] state        hash: saleId, state, made, frozen; of a sale of a campaign also boughtMax
-- KEYS[2] stock        hash: sku:units, sku:booked, sku:returned
-- KEYS[3] buyers       hash: userId -> "ordinal:sku:quantity:status:payBy:mac:ref;" for each reservation
-- KEYS[4] reservations list: the reservation log, newest at the head
-- KEYS[5] bought       hash of the campaign: userId -> units that the user holds in it; unused without boughtMax
-- ARGV    userId, ordinal, sku, quantity, payBy, mac, ref ('' for none), entry of the log; n times, 1 <= n <= 128, in
--         order of ordinals
-- RETURNS n numbers: 1 put back; 0 it is there; -1 its number or its units are somebody else's by now, or the sale is
--         frozen for its settlement, or settled. nil no such sale
-- WHY     Several gateways may do this at once, in any order, and repeatedly. A number may have been given to another
--         buyer after the loss, which only the log tells: its newest part, since only the latest writes are lost, and
--         for an older number the entries near its place. Units are never booked above what there is: who was told of a
--         unit that another one has by now is reported to the operator. Entries that came into the log after its audit
--         would be part of no settlement.

local NEWEST = 5000 -- entries of the log that are looked at: more than are written between a loss and the check [R10]
local NEAR = 100 -- entries before and after the place of an older number that are looked at, too [R10]
-- Numbers without an entry, each of which brings the later entries one place nearer to the first [R10]
local GAPS_MAX = 1000

local sale = redis.call('HMGET', KEYS[1], 'state', 'made', 'boughtMax', 'frozen')
if not sale[1] then return nil end
local taken = {}
local function look(first, last)
  for _, entry in ipairs(redis.call('LRANGE', KEYS[4], first, last)) do
    taken[entry:match('"reservationId":"[^"]*%-(%d+)"') or ''] = true
  end
end
look(0, NEWEST - 1)
-- Places count from the oldest entry. In order of numbers, so that no entry is read twice.
local length, looked = redis.call('LLEN', KEYS[4]), 0
local gaps = math.max(0, math.min(tonumber(sale[2] or 0) - length, GAPS_MAX))
for i = 2, #ARGV, 8 do
  local number = tonumber(ARGV[i])
  local first, last = math.max(number - NEAR - gaps, looked + 1), math.min(number + NEAR, length - NEWEST)
  if first <= last then
    look(-last, -first)
    looked = last
  end
end
if sale[3] then redis.call('HLEN', KEYS[5]) end -- raises here, before any write, when the key is of another type
local made, answers = tonumber(sale[2] or 0), {}
for i = 1, #ARGV, 8 do
  local user, ordinal, sku, quantity, pay_by, mac, ref, entry = unpack(ARGV, i, i + 7)
  local held = redis.call('HGET', KEYS[3], user) or ''
  local stock = redis.call('HMGET', KEYS[2], sku .. ':units', sku .. ':booked', sku .. ':returned')
  local left = tonumber(stock[1] or 0) - tonumber(stock[2] or 0) - tonumber(stock[3] or 0)
  if (';' .. held):find(';' .. ordinal .. ':' .. sku .. ':' .. quantity .. ':', 1, true) then answers[#answers + 1] = 0
  elseif taken[ordinal] or left < tonumber(quantity) or sale[1] == 'settled' or sale[4] then answers[#answers + 1] = -1
  else
    -- HINCRBY would raise after the first writes, and a repetition would take the reservation for one that is there.
    local counts = (stock[2] or '0') .. ' ' .. (sale[3] and redis.call('HGET', KEYS[5], user) or '0')
    if not counts:find('^%-?%d+ %-?%d+$') then
      return redis.error_reply('ERR what is booked of ' .. sku .. ', or held by ' .. user .. ', is no whole number')
    end
    made = math.max(made, tonumber(ordinal))
    redis.call('HSET', KEYS[3], user, held .. ordinal .. ':' .. sku .. ':' .. quantity .. ':r:' .. pay_by .. ':' .. mac
      .. ':' .. ref .. ';')
    redis.call('HINCRBY', KEYS[2], sku .. ':booked', quantity)
    redis.call('HSET', KEYS[1], 'made', string.format('%.0f', made))
    if sale[3] then redis.call('HINCRBY', KEYS[5], user, quantity) end
    redis.call('LPUSH', KEYS[4], entry)
    taken[ordinal] = true
    answers[#answers + 1] = 1
  end
end
return answers
