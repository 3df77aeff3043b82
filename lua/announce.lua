-- announce.lua: packets are about to be added to a rain; nobody may be told "nothing left" for what was found before.
--
-- KEYS[1] state    hash: state, shards, total (packets of all shards), moves, movedIn; gets elsewhere
-- ARGV    how many packets all shards will have had, the added ones included; the number of shards; "1" also if the
--         state has no number of shards
-- RETURNS 1; nil no such rain
-- WHY     To be called for every shard before the first packet is added to one. From then on more packets are announced
--         than are loaded, so drained.lua refuses until the last one is there, however long the adding takes. The
--         number of shards is the caller's, and counts that are no numbers begin anew: somebody may have written
--         others, and no packet could move any more.

local rain = redis.call('HMGET', KEYS[1], 'state', 'shards', 'total', 'moves', 'movedIn')
if not rain[1] then return nil end
if not rain[2] and ARGV[3] ~= '1' then return 1 end -- one shard, or a rain from before packets moved
for at, count in pairs({ [4] = 'moves', [5] = 'movedIn' }) do
  if rain[at] and not (#rain[at] <= 15 and rain[at]:find('^%d+$')) then redis.call('HSET', KEYS[1], count, '0') end
end
local known = rain[3] and #rain[3] <= 15 and rain[3]:find('^%d+$') and tonumber(rain[3]) or 0
redis.call('HSET', KEYS[1], 'shards', ARGV[2], 'elsewhere', ARGV[2], 'total',
  string.format('%d', math.max(known, tonumber(ARGV[1]))))
return 1
