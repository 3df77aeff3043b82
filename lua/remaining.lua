-- remaining.lua: what is left in one shard, and what is on its way from it.
--
-- KEYS[1] state    hash: moves, loaded
-- KEYS[2] packets  list
-- KEYS[3] sending  hash: moveId -> packets, JSON
-- ARGV    none
-- RETURNS {packets left, how often its list got packets or lent some, packets loaded so far, moves on their way, then
--         moveId, packets of some of these, "" when they are too long for a move}; nil no such rain
-- WHY     A gateway that reads all shards twice and finds nothing anywhere, and the same counts both times, knows a
--         moment at which nothing was anywhere: between the two. Counts alone would not do: a packet may pass from
--         shard to shard behind the reader.

-- Moves per answer, whoever has ended these asks again; bytes of one of ours [R10]
local MOVES_MAX, BYTES_MAX = 16, 262144

local rain = redis.call('HMGET', KEYS[1], 'state', 'moves', 'loaded')
if not rain[1] then return nil end
local answer = { redis.call('LLEN', KEYS[2]), tonumber(rain[2] or 0), tonumber(rain[3] or 0),
  redis.call('HLEN', KEYS[3]) }
if answer[4] == 0 then return answer end
for i, move in ipairs(redis.call('HKEYS', KEYS[3])) do
  if i > MOVES_MAX then break end
  local isOurs = redis.call('HSTRLEN', KEYS[3], move) <= BYTES_MAX
  answer[#answer + 1], answer[#answer + 2] = move, isOurs and redis.call('HGET', KEYS[3], move) or ''
end
return answer
