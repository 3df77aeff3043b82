-- spoil.lua: set forged packets aside that grab.lua has handed out, before their users are told.
--
-- KEYS[1] state    hash: state, signedBy; of a round of a campaign also winsMax
-- KEYS[2] claimed  hash: userId -> claim JSON
-- KEYS[3] spoiled  list: packets set aside
-- KEYS[4] wins     hash of the campaign: userId -> the rounds that the user has won in; unused without winsMax
-- ARGV    names of the caller's keys, separated by commas, then userId, redPacketId, amount and mac as grab.lua
--         answered them; n times
-- RETURNS how many were set aside; "other_key" the rain is signed with none of these; nil no such rain
-- WHY     A caller with another key would take every packet for a forgery. A claim that has changed since is left
--         alone: another gateway has set the forgery aside, and the user has won again. The claim log keeps its entry,
--         as it is never popped; the credit worker refuses it. LPUSH comes first, as Redis may refuse it when out of
--         memory.

local rain = redis.call('HMGET', KEYS[1], 'state', 'signedBy', 'winsMax')
if not rain[1] then return nil end
if not rain[2] or not (',' .. ARGV[1] .. ','):find(',' .. rain[2] .. ',', 1, true) then return 'other_key' end
local mine = rain[3] and ',' .. KEYS[1]:match('}:(%d+):') .. ','

local elements, users, wins = {}, {}, {}
for i = 2, #ARGV, 4 do
  local user = ARGV[i]
  local ok, claim = pcall(cjson.decode, redis.call('HGET', KEYS[2], user) or '')
  if ok and type(claim) == 'table' and tostring(claim.redPacketId) == ARGV[i + 1]
    and tostring(claim.amount) == ARGV[i + 2]
    and tostring(claim.mac or '') == ARGV[i + 3] then
    users[#users + 1] = user
    elements[#elements + 1] = ('{"redPacketId":%s,"amount":%s,"mac":%s}'):format(
      cjson.encode(ARGV[i + 1]), cjson.encode(ARGV[i + 2]), cjson.encode(ARGV[i + 3]))
    local won = mine and redis.call('HGET', KEYS[4], user) or ''
    local from, to = won:find(mine or '', 1, true)
    if mine and from then wins[#wins + 1], wins[#wins + 2] = user, won:sub(1, from - 1) .. won:sub(to + 1) end
  end
end

if #users > 0 then
  redis.call('LPUSH', KEYS[3], unpack(elements))
  redis.call('HDEL', KEYS[2], unpack(users))
  if #wins > 0 then redis.call('HSET', KEYS[4], unpack(wins)) end
end
return #users
