-- setaside.lua: take away what stands among the moves of a shard and is no move.
--
-- KEYS[1] moves    hash of this shard: moveId -> packets, JSON (sending, lent or received); or what somebody has put in
--         its place
-- KEYS[2] spoiled  list: gets a mark
-- ARGV    field, "1" if it stays as a move without packets, else "0"; n times, 0 <= n <= 512
-- RETURNS how many were taken away
-- WHY     Somebody else has written them, and no rain would ever be found empty, or be settled, while they are there.
--         Their text is not kept: it may be of any size [R10]. The id of a move that has arrived stays, or the move
--         would be brought once more.

local kind, taken = redis.call('TYPE', KEYS[1]).ok, {}
for i = 1, #ARGV, 2 do
  if kind == 'hash' and redis.call('HEXISTS', KEYS[1], ARGV[i]) == 1 then taken[#taken + 1] = i end
end
local isOfOtherType = kind ~= 'hash' and kind ~= 'none'
if #taken == 0 and not isOfOtherType then return 0 end
redis.call('LPUSH', KEYS[2], 'not a move')
if isOfOtherType then return redis.call('DEL', KEYS[1]) end
for _, i in ipairs(taken) do
  if ARGV[i + 1] == '1' then redis.call('HSET', KEYS[1], ARGV[i], '[]') else redis.call('HDEL', KEYS[1], ARGV[i]) end
end
return #taken
