-- takeback.lua: take the packets of a move off the list of a lender that has forgotten it.
--
-- KEYS[1] packets  list: the next packet is at the tail
-- KEYS[2] sending  hash: moveId -> packets, JSON
-- KEYS[3] lent     hash: moveId -> packets, JSON; gets the move
-- ARGV    moveId, its packets (JSON) as the receiver has them
-- RETURNS how many were taken off; 0 also when the lender knows the move, or it is not a list of packets
-- WHY     After a failover the lender has its packets again, and so has the receiver. Packets that somebody has won
--         meanwhile are not found; the ledger decides about them.

local DEPTH_MAX = 10000 -- lost packets lie at the tail again; deeper ones stay where they are [R10]

if redis.call('HEXISTS', KEYS[2], ARGV[1]) == 1 or redis.call('HEXISTS', KEYS[3], ARGV[1]) == 1 then return 0 end
local isJson, packets = pcall(cjson.decode, ARGV[2])
if not isJson or type(packets) ~= 'table' then return 0 end -- somebody else has written it
local taken = 0
redis.call('LLEN', KEYS[1]) -- raises here, before any write, when the key is of another type
redis.call('HSET', KEYS[3], ARGV[1], ARGV[2])
for i = #packets, 1, -1 do
  if type(packets[i]) == 'string' and redis.call('LPOS', KEYS[1], packets[i], 'RANK', -1, 'MAXLEN', DEPTH_MAX) then
    taken = taken + redis.call('LREM', KEYS[1], -1, packets[i])
  end
end
return taken
