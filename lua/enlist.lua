-- enlist.lua: add a round to its campaign, and add wins known from elsewhere to the campaign's wins.
--
-- KEYS[1] state    hash of the round: state
-- KEYS[2] wins     hash of the campaign: userId -> the rounds that the user has won in, such as ",1,,4,"
-- KEYS[3] rounds   set of the campaign: rounds that are not settled
-- ARGV    round, then userId and a round that the user has won in, n times, 0 <= n <= 1000
-- RETURNS how many wins were new here; -1 no such round, or it is settled
-- WHY     The wins are a cache of the ledger and the claim logs. A win is stored as a round, not as a count: adding a
--         known one changes nothing, however old it is and whatever is granted meanwhile, so the number of a user's
--         wins is never too low or too high. A round in the set keeps the wins from expiring, see leave.lua; a settled
--         round must not be added.

local state = redis.call('HGET', KEYS[1], 'state')
if not state or state == 'settled' then return -1 end
redis.call('HLEN', KEYS[2]) -- raises here, before any write, when the key is of another type
redis.call('SADD', KEYS[3], ARGV[1])
redis.call('PERSIST', KEYS[2])
local added = 0
for i = 2, #ARGV, 2 do
  local won, round = redis.call('HGET', KEYS[2], ARGV[i]) or '', ',' .. ARGV[i + 1] .. ','
  if not won:find(round, 1, true) then
    redis.call('HSET', KEYS[2], ARGV[i], won .. round)
    added = added + 1
  end
end
return added
