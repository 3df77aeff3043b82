-- relog.lua: complete the claim log and the claims by user of a shard that has lost its state.
--
-- KEYS[1] state    hash: state; missing, or of a draft
-- KEYS[2] claimed  hash: userId -> claim JSON
-- KEYS[3] claims   list: the claim log, newest at the head
-- ARGV    length of the claim log as it was read; then userId, claim JSON, "1" if the log has this claim already, n
--         times, n <= 500
-- RETURNS the length of the claim log now; -1 the shard has a state: nothing was written; -2 the log has another
--         length, read it again
-- WHY     Before the shard gets its state back, every win that is known must be in both places: then nobody can win
--         twice in it, and no settlement overlooks a win. The length makes a repetition after a lost reply harmless. A
--         claim that a user has already stays: it is the one that the user was told.

local state = redis.call('HGET', KEYS[1], 'state')
if state and state ~= 'draft' then return -1 end
if redis.call('LLEN', KEYS[3]) ~= tonumber(ARGV[1]) then return -2 end
redis.call('HLEN', KEYS[2]) -- raises here, before any write, when the key is of another type
for i = 2, #ARGV, 3 do
  redis.call('HSETNX', KEYS[2], ARGV[i], ARGV[i + 1])
  if ARGV[i + 2] ~= '1' then redis.call('LPUSH', KEYS[3], ARGV[i + 1]) end
end
return redis.call('LLEN', KEYS[3])
