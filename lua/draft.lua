-- draft.lua: write down one shard of a new rain, before it has packets.
--
-- KEYS[1] state    hash to create
-- KEYS[2] packets  list that must not exist yet
-- KEYS[3] claimed  hash that must not exist yet
-- KEYS[4] claims   list that must not exist yet
-- KEYS[5] spoiled  list that must not exist yet
-- KEYS[6] relayed  string that must not exist yet
-- KEYS[7] credited set that must not exist yet
-- ARGV    rainId, opensAt, closesAt (epoch ms), packets (planned for this shard), commitment, winsMax ("" for none)
-- RETURNS 1 created; 0 the same rain stands there already; -1 another one does, or its remains
-- WHY     A new rain never reuses an old one's keys, and creating twice after a lost reply is harmless.

local found = redis.call('HMGET', KEYS[1], 'rainId', 'opensAt', 'closesAt', 'packets', 'commitment', 'winsMax')
if found[1] then
  for i = 1, 6 do
    if (found[i] or '') ~= ARGV[i] then return -1 end
  end
  return 0
end
if redis.call('EXISTS', KEYS[2], KEYS[3], KEYS[4], KEYS[5], KEYS[6], KEYS[7]) > 0 then return -1 end
local state = tonumber(ARGV[4]) > 0 and 'draft' or 'loaded' -- a shard that got no packets has nothing to wait for
redis.call('HSET', KEYS[1], 'rainId', ARGV[1], 'state', state, 'opensAt', ARGV[2], 'closesAt', ARGV[3],
  'packets', ARGV[4], 'loaded', '0')
if ARGV[5] ~= '' then redis.call('HSET', KEYS[1], 'commitment', ARGV[5]) end
if ARGV[6] ~= '' then redis.call('HSET', KEYS[1], 'winsMax', ARGV[6]) end
return 1
