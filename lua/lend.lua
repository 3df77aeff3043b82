-- lend.lua: take packets off the list of one shard for users who wait before another one, which is empty.
--
-- KEYS[1] state    hash: state, held; gets moves
-- KEYS[2] packets  list: the next packet is at the tail
-- KEYS[3] spoiled  list: malformed elements of packets
-- KEYS[4] sending  hash: moveId -> the packets of a move that is on its way, JSON
-- KEYS[5] lent     hash: moveId -> the packets of a move that has arrived, JSON
-- ARGV    moveId, how many packets are wanted, 1 to 512, into how many parts the list is divided
-- RETURNS the packets of the move, JSON; again if they were lent before; nil there is nothing to lend, or nothing is
--         granted here
-- WHY     The move is written down before its packets leave the list, so that they are always in one place at least,
--         and whoever sees the move can end it. A moveId is never used again: a lost reply is asked for again and lends
--         nothing new. A shard with more packets than are wanted lends a part of them, so that the next user there need
--         not wait. An element that is too long for a packet is set aside as grab.lua does, or it would be carried from
--         shard to shard.

local PART_MAX, PACKET_MAX = 512, 256 -- packets of a move; characters of a packet [R10]

local known = redis.call('HGET', KEYS[4], ARGV[1]) or redis.call('HGET', KEYS[5], ARGV[1])
if known then return known end
local rain = redis.call('HMGET', KEYS[1], 'state', 'held')
if rain[1] ~= 'loaded' or (rain[2] or '') ~= '' then return nil end

local left = redis.call('LLEN', KEYS[2])
local count = math.min(left, PART_MAX, math.max(tonumber(ARGV[2]), math.floor(left / ARGV[3])))
if count < 1 then return nil end
local elements, packets, bad = redis.call('LRANGE', KEYS[2], -count, -1), {}, {}
for _, element in ipairs(elements) do
  local list = #element <= PACKET_MAX and packets or bad
  list[#list + 1] = element
end
redis.call('LLEN', KEYS[3]) -- raises here, before any write, when the key is of another type

local move = #packets > 0 and cjson.encode(packets) or nil
-- The first write: a count that is no number is refused before the move is written down
redis.call('HINCRBY', KEYS[1], 'moves', 1)
if move then redis.call('HSET', KEYS[4], ARGV[1], move) end
if #bad > 0 then redis.call('LPUSH', KEYS[3], unpack(bad)) end
redis.call('RPOP', KEYS[2], count)
return move
