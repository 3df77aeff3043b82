-- The usual script, one user per call: dedupe hash, rpop of the preallocated list, lpush to the claim log.
-- KEYS[1] packets  list    KEYS[2] claimed  hash    KEYS[3] claims  list    ARGV[1] userId
local held = redis.call('HGET', KEYS[2], ARGV[1])
if held then
  local first = cjson.decode(held)
  return cjson.encode({ code = '1', redPacketId = first.redPacketId, amount = first.amount })
end
local element = redis.call('RPOP', KEYS[1])
if not element then return '{"code":"-1"}' end
local packet = cjson.decode(element)
packet.userId = ARGV[1]
local claim = cjson.encode(packet)
redis.call('HSET', KEYS[2], ARGV[1], claim)
redis.call('LPUSH', KEYS[3], claim)
return cjson.encode({ code = '0', redPacketId = packet.redPacketId, amount = packet.amount })
