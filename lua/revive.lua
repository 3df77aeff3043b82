-- revive.lua: give a shard its state back, with the list that rebuild.lua has made.
--
-- KEYS[1] state    hash to create; missing, or of a draft
-- KEYS[2] packets  list: replaced
-- KEYS[3] claims   list: the claim log
-- KEYS[4] rebuilt  list: the digest of the whole list, then packets; renamed
-- ARGV    digest, number of packets, length of the claim log as it was read; then the fields of the state, each with
--         its value
-- RETURNS 1 revived; 0 the shard has a state: nothing was written; -1 the claim log or the new list has changed: start
--         again
-- WHY     The state comes last and in one step with the list: nobody can win before, and nobody finds a shard half
--         made.

local state = redis.call('HGET', KEYS[1], 'state')
if state and state ~= 'draft' then return 0 end
if redis.call('LLEN', KEYS[3]) ~= tonumber(ARGV[3]) then return -1 end
if redis.call('LINDEX', KEYS[4], -1) ~= ARGV[1] or redis.call('LLEN', KEYS[4]) - 1 ~= tonumber(ARGV[2]) then
  return -1
end
redis.call('DEL', KEYS[1], KEYS[2])
redis.call('RPOP', KEYS[4])
if tonumber(ARGV[2]) > 0 then
  redis.call('RENAME', KEYS[4], KEYS[2])
  redis.call('PERSIST', KEYS[2])
end
redis.call('HSET', KEYS[1], unpack(ARGV, 4))
return 1
