-- grab.lua: decide for a whole batch of users of one rain in one atomic step.
--
-- KEYS[1] state    hash: rainId, state, opensAt, closesAt (epoch ms), held; of a round of a campaign also winsMax
-- KEYS[2] packets  list: {"redPacketId","amount"}, handed out from the tail
-- KEYS[3] claimed  hash: userId -> claim JSON
-- KEYS[4] claims   list: the claim log, newest at the head
-- KEYS[5] spoiled  list: malformed elements of packets
-- KEYS[6] wins     hash of the campaign: userId -> the rounds that the user has won in, such as ",1,,4,"; unused without winsMax
-- ARGV    userId x n, 1 <= n <= 512; a user may appear twice
-- RETURNS n cjson strings in the order of ARGV: code "1" before "-8" "-2" "-3" "-4" before "-11" before "-1"
--         "-7" before "0"
-- WHY     A script is atomic but not rolled back. So everything that can fail (wrong type, bad JSON) happens before the
--         first write, and that first write is HSET, which Redis may refuse when out of memory. Packets are read with
--         LRANGE and popped last: a malformed one is set aside, not lost. Losing writes nothing [R11]. A win and its
--         count are one step, so that two overlapping rounds cannot both let a user win beyond the limit. A user who has
--         this round among the wins but no claim in it has a contested win, see restore.lua: the ledger decides it.

local BAD_MAX = 512 -- malformed elements set aside per call at most, so that no call runs long [R10]

local rain = redis.call('HMGET', KEYS[1], 'state', 'opensAt', 'closesAt', 'rainId', 'winsMax', 'held')
local held = redis.call('HMGET', KEYS[3], unpack(ARGV))
local clock = redis.call('TIME')
local now = clock[1] * 1000 + math.floor(clock[2] / 1000)

local refusal
if not rain[1] then refusal = '{"code":"-8"}' elseif (rain[6] or '') ~= '' then refusal = '{"code":"-7"}'
elseif rain[1] == 'closed' or rain[1] == 'settled' then refusal = '{"code":"-3"}'
elseif rain[1] == 'draft' or now < tonumber(rain[2]) then refusal = '{"code":"-2"}'
elseif now >= tonumber(rain[3]) then refusal = '{"code":"-3"}'
elseif rain[1] == 'paused' then refusal = '{"code":"-4"}' end

local limit = not refusal and tonumber(rain[5])
local mine = limit and ',' .. rain[4]:match('%.(%d+)$') .. ','
local wins = limit and redis.call('HMGET', KEYS[6], unpack(ARGV)) or {}

local seen, bad, window, at = 0, {}, {}, 0
local function next_packet()
  while #bad < BAD_MAX do
    if at == 0 then window = redis.call('LRANGE', KEYS[2], -(seen + #ARGV), -(seen + 1)) end
    at = at > 0 and at or #window
    if at == 0 then refusal = '{"code":"-1"}' return end
    local ok, packet = pcall(cjson.decode, window[at])
    at, seen = at - 1, seen + 1
    if ok and type(packet) == 'table' and type(packet.redPacketId) == 'string' and type(packet.amount) == 'string'
      and #packet.redPacketId <= 128 and packet.redPacketId:find('^[^%c]+$') and #packet.amount <= 17
      and (packet.amount:find('^[1-9]%d*%.%d%d$') or packet.amount:find('^0%.%d%d$') and packet.amount ~= '0.00') then return packet end
    bad[#bad + 1] = window[at + 1]
  end
  refusal = '{"code":"-7"}'
end

local answers, fields, log, won, counts = {}, {}, {}, {}, {}
for i, user in ipairs(ARGV) do
  local claim = held[i] or won[user]
  if claim then
    local ok, first = pcall(cjson.decode, claim)
    answers[i] = ok and type(first) == 'table'
      and cjson.encode({ code = '1', redPacketId = first.redPacketId, amount = first.amount }) or '{"code":"-7"}'
  elseif wins[i] and (select(2, wins[i]:gsub('%d+', '')) >= limit or wins[i]:find(mine, 1, true)) then answers[i] = '{"code":"-11"}'
  else
    local packet = not refusal and next_packet()
    if packet then
      claim = cjson.encode({ rainId = rain[4], redPacketId = packet.redPacketId, amount = packet.amount,
        userId = user, at = string.format('%.0f', now) })
      fields[#fields + 1], fields[#fields + 2], log[#log + 1], won[user] = user, claim, claim, claim
      if limit then counts[#counts + 1], counts[#counts + 2] = user, (wins[i] or '') .. mine end
      answers[i] = cjson.encode({ code = '0', redPacketId = packet.redPacketId, amount = packet.amount })
    else answers[i] = refusal end
  end
end

if seen > 0 then
  redis.call('LLEN', KEYS[4]) -- raises here, before any write, when the key is of another type
  redis.call('LLEN', KEYS[5])
  if #log > 0 then
    redis.call('HSET', KEYS[3], unpack(fields))
    redis.call('LPUSH', KEYS[4], unpack(log))
    if limit then redis.call('HSET', KEYS[6], unpack(counts)) end
  end
  if #bad > 0 then redis.call('LPUSH', KEYS[5], unpack(bad)) end
  redis.call('RPOP', KEYS[2], seen)
end
return answers
