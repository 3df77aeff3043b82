-- saleback.lua: write orders of the ledger back into a sale that Redis has lost, with the status that they have.
--
-- KEYS[1] state        hash: state, made
-- KEYS[2] stock        hash: sku:booked, sku:sold
-- KEYS[3] buyers       hash: userId -> "ordinal:sku:quantity:status:payBy:mac:ref;" for each reservation
-- KEYS[4] reservations list: the reservation log, newest at the head
-- ARGV    userId, ordinal, sku, quantity, status (o created, p paid, another letter: ended), "payBy:mac:ref", entry of
--         the log; n times, 1 <= n <= 128, in order of ordinals
-- RETURNS how many were written now; the others are there. -1 the sale is sold, or over: nothing was written. nil no
--         such sale
-- WHY     Only into a draft or a paused sale, where nobody can reserve: all orders have to be there before a unit is
--         sold again, and before a number is drawn. Ended orders hold no units, so they are written although others
--         have bought theirs. The state is read first, and what has been there before is left as it is: this may be
--         cut, and repeated.

local sale = redis.call('HMGET', KEYS[1], 'state', 'made')
if not sale[1] then return nil end
if sale[1] ~= 'draft' and sale[1] ~= 'paused' then return -1 end
redis.call('LLEN', KEYS[4]) -- raises here, before any write, when the key is of another type
redis.call('HLEN', KEYS[2])
local made, written = tonumber(sale[2] or 0), 0
for i = 1, #ARGV, 7 do
  local user, ordinal, sku, quantity, status, rest, entry = unpack(ARGV, i, i + 6)
  local held = redis.call('HGET', KEYS[3], user) or ''
  if not (';' .. held):find(';' .. ordinal .. ':', 1, true) then
    redis.call('HSET', KEYS[3], user,
      held .. ordinal .. ':' .. sku .. ':' .. quantity .. ':' .. status .. ':' .. rest .. ';')
    redis.call('LPUSH', KEYS[4], entry)
    if status == 'o' or status == 'p' then redis.call('HINCRBY', KEYS[2], sku .. ':booked', quantity) end
    if status == 'p' then redis.call('HINCRBY', KEYS[2], sku .. ':sold', quantity) end
    made, written = math.max(made, tonumber(ordinal)), written + 1
  end
end
redis.call('HSET', KEYS[1], 'made', string.format('%.0f', made))
return written
