-- draft.lua: create one shard of a new rain, without packets.
--
-- KEYS[1] state    hash to create
-- KEYS[2] packets  list that must not exist yet
-- KEYS[3] claimed  hash that must not exist yet
-- KEYS[4] claims   list that must not exist yet
-- KEYS[5] spoiled  list that must not exist yet
-- KEYS[6] relayed  string that must not exist yet
-- KEYS[7] credited set that must not exist yet
-- KEYS[8] sending  hash that must not exist yet
-- KEYS[9] lent     hash that must not exist yet
-- KEYS[10] received hash that must not exist yet
-- ARGV    rainId, opensAt, closesAt (epoch ms), packets (planned for this shard), commitment, terms (JSON, see
--         src/rain/terms.ts), name of the key that the packets are signed with, number of shards, packets of all shards
-- RETURNS 1 created; 0 the same rain exists already; -1 another rain, or remaining keys of one, exist
-- WHY     A new rain never reuses the keys of an old one, and creating it again after a lost reply is harmless. The
--         commitment alone identifies a rain: its packets and times may have changed since. The terms are stored
--         unchanged. The terms that grab.lua enforces are extracted here once, or grab.lua would decode them in every
--         call. A rain from before terms existed gets them now. A draft without packets takes the key of who loads it;
--         with packets it keeps the key that these are signed with.

local terms = cjson.decode(ARGV[6])
local winsMax = terms.winsMax and string.format('%d', terms.winsMax) or ''
local found = redis.call('HMGET', KEYS[1], 'rainId', 'opensAt', 'closesAt', 'packets', 'commitment', 'winsMax',
  'terms', 'loaded')
if found[1] then
  if found[1] ~= ARGV[1] or (found[5] or '') ~= ARGV[5] or (found[6] or '') ~= winsMax
    or (found[7] or ARGV[6]) ~= ARGV[6] then return -1 end
  local same = found[2] == ARGV[2] and found[3] == ARGV[3] and found[4] == ARGV[4]
  if not same and (ARGV[5] == '' or tonumber(found[4]) < tonumber(ARGV[4])) then return -1 end
  if not found[7] then redis.call('HSET', KEYS[1], 'terms', ARGV[6]) end
  if found[8] == '0' then redis.call('HSET', KEYS[1], 'signedBy', ARGV[7]) end
  return 0
end
if redis.call('EXISTS', KEYS[2], KEYS[3], KEYS[4], KEYS[5], KEYS[6], KEYS[7], KEYS[8], KEYS[9], KEYS[10]) > 0 then
  return -1
end
local state = tonumber(ARGV[4]) > 0 and 'draft' or 'loaded' -- a shard without packets need not wait for a load
redis.call('HSET', KEYS[1], 'rainId', ARGV[1], 'state', state, 'opensAt', ARGV[2], 'closesAt', ARGV[3],
  'packets', ARGV[4], 'loaded', '0', 'terms', ARGV[6], 'signedBy', ARGV[7])
if ARGV[5] ~= '' then redis.call('HSET', KEYS[1], 'commitment', ARGV[5]) end
if winsMax ~= '' then redis.call('HSET', KEYS[1], 'winsMax', winsMax) end
if tonumber(ARGV[8]) > 1 then redis.call('HSET', KEYS[1], 'shards', ARGV[8], 'elsewhere', ARGV[8], 'total', ARGV[9]) end
return 1
