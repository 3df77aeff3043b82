-- saledraft.lua: create a new sale, with its items; nothing can be bought before it is loaded.
--
-- KEYS[1] state        hash to create
-- KEYS[2] stock        hash that must not exist yet
-- KEYS[3] buyers       hash that must not exist yet
-- KEYS[4] reservations list that must not exist yet
-- KEYS[5] relayed      string that must not exist yet
-- ARGV    saleId, opensAt, closesAt (epoch ms), holdMs, perUserMax, boughtMax ('' for none), terms (JSON), items (JSON:
--         what buyers are shown); then sku, "price:perOrderMax:perUserMax", units; n times
-- RETURNS 1 created; 0 the same sale exists already; -1 another sale, or remaining keys of one, exist
-- WHY     A new sale never reuses the keys of an old one, and creating it again after a lost reply is harmless. The
--         stock comes with the draft: it is a few numbers, and `load` only opens the door.

local found = redis.call('HMGET', KEYS[1], 'saleId', 'items', 'terms', 'holdMs', 'perUserMax', 'boughtMax')
if found[1] then
  local same = found[1] == ARGV[1] and found[2] == ARGV[8] and found[3] == ARGV[7] and found[4] == ARGV[4]
    and (found[5] or '') == ARGV[5] and (found[6] or '') == ARGV[6]
  return same and 0 or -1
end
if redis.call('EXISTS', KEYS[2], KEYS[3], KEYS[4], KEYS[5]) > 0 then return -1 end
local stock = {}
for i = 9, #ARGV, 3 do
  stock[#stock + 1], stock[#stock + 2] = ARGV[i], ARGV[i + 1]
  stock[#stock + 1], stock[#stock + 2] = ARGV[i] .. ':units', ARGV[i + 2]
end
redis.call('HSET', KEYS[2], unpack(stock))
redis.call('HSET', KEYS[1], 'saleId', ARGV[1], 'state', 'draft', 'opensAt', ARGV[2], 'closesAt', ARGV[3],
  'holdMs', ARGV[4],
  'perUserMax', ARGV[5], 'terms', ARGV[7], 'items', ARGV[8], 'made', '0')
if ARGV[6] ~= '' then redis.call('HSET', KEYS[1], 'boughtMax', ARGV[6]) end
return 1
