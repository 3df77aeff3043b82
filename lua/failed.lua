-- failed.lua: write down with their buyers reservations that have failed, and that Redis has lost.
--
-- KEYS[1] state   hash: state, made
-- KEYS[2] buyers  hash: userId -> "ordinal:sku:quantity:status:payBy:mac:ref;" for each reservation
-- ARGV    userId, ordinal, "sku:quantity", "payBy:mac:ref"; n times, 1 <= n <= 128
-- RETURNS n numbers: 1 written down; 0 the buyer has a reservation of this number. nil no such sale
-- WHY     The ledger has refused them, and they cannot be put back. Buyers who were away then hear it later, by a visit
--         or by asking for the order. A failed reservation holds no units, so nothing is counted, and it is not in the
--         log. Its number is not given again: the ledger would refuse that, too, to the same buyer. The keys of a
--         settled sale expire: this one, if it is new, with them.

local sale, answers = redis.call('HMGET', KEYS[1], 'state', 'made'), {}
if not sale[1] then return nil end
local made = math.max(tonumber(sale[2] or 0), 0) -- raises here, before any write, when it is no number
for i = 1, #ARGV, 4 do
  local user, ordinal, what, rest = unpack(ARGV, i, i + 3)
  local held = redis.call('HGET', KEYS[2], user) or ''
  local isThere = (';' .. held):find(';' .. ordinal .. ':', 1, true)
  if not isThere then
    made = math.max(made, tonumber(ordinal))
    redis.call('HSET', KEYS[2], user, held .. ordinal .. ':' .. what .. ':f:' .. rest .. ';')
  end
  answers[#answers + 1] = isThere and 0 or 1
end
redis.call('HSET', KEYS[1], 'made', string.format('%.0f', made))
local ttl = redis.call('PTTL', KEYS[1])
if ttl > 0 and redis.call('PTTL', KEYS[2]) == -1 then redis.call('PEXPIRE', KEYS[2], ttl) end
return answers
