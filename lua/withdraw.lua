-- withdraw.lua: take packets of a lost top-up off the list, for good.
--
-- KEYS[1] state    hash: state, held, closesAt (epoch ms), packets, loaded, topUps, shards and total, if there are
--         several; gets withdrawn
-- KEYS[2] packets  list: packets not handed out yet, those of the last top-up at the head, but for packets that have
--         moved
-- ARGV    index of the first lost packet, number of packets that stay planned, top-ups that stay (JSON), packets to
--         look at, how many to skip at the head
-- RETURNS counts {taken off, 1 when none is left, how many to skip next}; -1 the shard grants packets; nil no such rain
-- WHY     Nobody can pay them, as their seed and their money are lost. The counts change with the last of them, so a
--         call that was cut is repeated. A top-up never follows: its packets would have the ids of those that were told
--         before.

local rain = redis.call('HMGET', KEYS[1], 'state', 'held', 'closesAt', 'loaded', 'shards')
if not rain[1] then return nil end
local clock = redis.call('TIME')
local isOver = clock[1] * 1000 + math.floor(clock[2] / 1000) >= tonumber(rain[3])
if rain[1] == 'loaded' and not isOver and (rain[2] or '') == '' then return -1 end

local elements = redis.call('LRANGE', KEYS[2], ARGV[5], ARGV[5] + ARGV[4] - 1)
local lost, kept = {}, 0
for i, element in ipairs(elements) do
  local index = element:match('^{"redPacketId":"[%w._-]*%-(%d+)"')
  if index and tonumber(index) >= tonumber(ARGV[1]) then lost[#lost + 1] = i - 1 else kept = kept + 1 end
  -- In one shard all of them are at the head.
  if kept > 0 and not rain[5] then break end
end

local done = #elements < tonumber(ARGV[4]) or kept > 0 and not rain[5]
if done then
  local loaded = math.min(tonumber(rain[4]), tonumber(ARGV[2]))
  redis.call('HSET', KEYS[1], 'packets', ARGV[2], 'loaded', string.format('%d', loaded), 'topUps', ARGV[3],
    'withdrawn', ARGV[1])
  if rain[5] then redis.call('HSET', KEYS[1], 'total', ARGV[1]) end
end
if #lost > 0 and (kept == 0 or not rain[5]) and tonumber(ARGV[5]) == 0 then redis.call('LPOP', KEYS[2], #lost)
elseif #lost > 0 then
  for _, at in ipairs(lost) do redis.call('LSET', KEYS[2], ARGV[5] + at, '') end
  redis.call('LREM', KEYS[2], 0, '')
end
return { #lost, done and 1 or 0, ARGV[5] + kept }
