-- receive.lua: put the packets of a move on the list of an empty shard, and decide for the users who wait there.
--
-- KEYS[1] state    hash: state; gets moves, and movedIn (packets that have come by moves)
-- KEYS[2] packets  list
-- KEYS[3] claimed  hash, as in grab.lua
-- KEYS[4] claims   list, as in grab.lua
-- KEYS[5] spoiled  list, as in grab.lua
-- KEYS[6] wins     hash, as in grab.lua
-- KEYS[7] received hash: moveId -> the packets of a move that has arrived here, JSON
-- ARGV    moveId, its packets (JSON), then as in grab.lua: userId x n, 0 <= n <= 512, the ticket rules, the gateway's
--         name
-- RETURNS as grab.lua; none for no user; nil no such rain, or it is settled
-- WHY     A move is taken in once, whoever brings it and however often. Its packets go behind what is there: what a
--         user waits for already keeps its turn. Then grab.lua decides in the same step, or other shards could take the
--         packets on before anybody here gets one. A shard that is closed takes in what is on its way, and grants
--         nothing. An argument that is no list of packets brings none, and is noted all the same: somebody else has
--         written it, the audit tells, and the rain goes on. Counts come first, since a count that is no number is
--         refused before anything else is written.
-- THEN    grab.lua

local PART_MAX, PACKET_MAX = 512, 256 -- packets of a move; characters of a packet [R10]

local move, elements = table.remove(ARGV, 1), table.remove(ARGV, 1)
local state = redis.call('HGET', KEYS[1], 'state')
if not state or state == 'settled' then return nil end
if redis.call('HEXISTS', KEYS[7], move) == 0 then
  local isJson, list = pcall(cjson.decode, elements)
  local packets = {}
  for _, packet in ipairs(isJson and type(list) == 'table' and list or {}) do
    if type(packet) == 'string' and #packet <= PACKET_MAX and #packets < PART_MAX then
      packets[#packets + 1] = packet
    end
  end
  redis.call('LLEN', KEYS[2]) -- raises here, before any write, when the key is of another type
  redis.call('HINCRBY', KEYS[1], 'moves', 1)
  redis.call('HINCRBY', KEYS[1], 'movedIn', #packets)
  redis.call('HSET', KEYS[7], move, elements)
  -- The tail is handed out first, and a move lists its packets as they lay: the last one comes first.
  for i = #packets, 1, -1 do redis.call('LPUSH', KEYS[2], packets[i]) end
end
if #ARGV == 2 then return {} end
