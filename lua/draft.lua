-- draft.lua: write down one shard of a new rain, before it has packets.
--
-- KEYS[1] state    hash to create
-- KEYS[2] packets  list that must not exist yet
-- KEYS[3] claimed  hash that must not exist yet
-- KEYS[4] claims   list that must not exist yet
-- KEYS[5] spoiled  list that must not exist yet
-- KEYS[6] relayed  string that must not exist yet
-- KEYS[7] credited set that must not exist yet
-- ARGV    rainId, opensAt, closesAt (epoch ms), packets (planned for this shard), commitment, terms (JSON, see src/rain/terms.ts)
-- RETURNS 1 created; 0 the same rain stands there already; -1 another one does, or its remains
-- WHY     A new rain never reuses an old one's keys, and creating twice after a lost reply is harmless. A commitment says by
--         itself which rain it is; packets may have been added to it since, and its times may have been moved. The terms are
--         kept as they came. What grab.lua holds users to is taken out here, once: it would decode them with every call. A rain
--         that was written down before there were terms gets them now.

local terms = cjson.decode(ARGV[6])
local winsMax = terms.winsMax and string.format('%d', terms.winsMax) or ''
local found = redis.call('HMGET', KEYS[1], 'rainId', 'opensAt', 'closesAt', 'packets', 'commitment', 'winsMax', 'terms')
if found[1] then
  if found[1] ~= ARGV[1] or (found[5] or '') ~= ARGV[5] or (found[6] or '') ~= winsMax or (found[7] or ARGV[6]) ~= ARGV[6] then return -1 end
  local same = found[2] == ARGV[2] and found[3] == ARGV[3] and found[4] == ARGV[4]
  if not same and (ARGV[5] == '' or tonumber(found[4]) < tonumber(ARGV[4])) then return -1 end
  if not found[7] then redis.call('HSET', KEYS[1], 'terms', ARGV[6]) end
  return 0
end
if redis.call('EXISTS', KEYS[2], KEYS[3], KEYS[4], KEYS[5], KEYS[6], KEYS[7]) > 0 then return -1 end
local state = tonumber(ARGV[4]) > 0 and 'draft' or 'loaded' -- a shard that got no packets has nothing to wait for
redis.call('HSET', KEYS[1], 'rainId', ARGV[1], 'state', state, 'opensAt', ARGV[2], 'closesAt', ARGV[3],
  'packets', ARGV[4], 'loaded', '0', 'terms', ARGV[6])
if ARGV[5] ~= '' then redis.call('HSET', KEYS[1], 'commitment', ARGV[5]) end
if winsMax ~= '' then redis.call('HSET', KEYS[1], 'winsMax', winsMax) end
return 1
