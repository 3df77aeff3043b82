-- grab.lua: decide for a whole batch of users of one rain in one atomic step.
--
-- KEYS[1] state    hash: state, opensAt, closesAt (epoch ms); held (a reason, or none); of a round of a
--         campaign also winsMax; ticketRules (see tickets.lua, or none); elsewhere (the number of shards while another
--         one may have packets, see drained.lua; or none)
-- KEYS[2] packets  list: {"redPacketId","amount","mac"}, handed out from the tail
-- KEYS[3] claimed  hash: userId -> claim JSON
-- KEYS[4] claims   list: the claim log, newest at the head
-- KEYS[5] spoiled  list: malformed elements of packets
-- KEYS[6] wins     hash of the campaign: userId -> the rounds that the user has won in, such as ",1,,4,"; unused
--         without winsMax
-- ARGV    userId x n, 1 <= n <= 512; a user may appear twice; then the ticket rules that the caller has checked, and
--         its name as a gateway, [a-z0-9]*, which a claim carries so that the gateway of its user is told when it is
--         credited ("": none)
-- RETURNS n cjson strings in the order of ARGV: code "1" before "-8" before "-7" of a held rain before "-2"
--         "-3" "-4" before "-7" of other ticket rules before "-11" before "-1" "-7" before "0";
--         "-1" with the number of shards: this shard has none left, another one may
-- WHY     A script is atomic but not rolled back. So everything that can fail (wrong type, bad JSON) happens before the
--         first write, and that first write is HSET, which Redis may refuse when out of memory. Packets are read with
--         LRANGE and popped last: a malformed one is set aside, not lost. Losing writes nothing [R11]. A win and its
--         count are one step, so that two overlapping rounds cannot both let a user win beyond the limit. A user who
--         has this round among the wins but no claim in it has a contested win, see restore.lua: the ledger decides it.
--         The signature of a packet is passed on unchecked, "" where there is none: only the gateway has the key. A
--         packet is read as the text that load.lua was given: cjson costs more than everything else here.

local BAD_MAX = 512 -- malformed elements set aside per call at most, so that no call runs long [R10]

local gateway, checked, rain = table.remove(ARGV), table.remove(ARGV),
  redis.call('HMGET', KEYS[1], 'state', 'opensAt', 'closesAt', 'elsewhere', 'winsMax', 'held', 'ticketRules')
-- From the key: a field could have been changed. A round is named after its campaign.
local rain_id, round = KEYS[1]:match('^rain:{([^/]+)/[^}]*}:(%d*)')
if round ~= '' then rain_id = rain_id .. '.' .. round end
local claimed = redis.call('HMGET', KEYS[3], unpack(ARGV))
local clock = redis.call('TIME')
local now = clock[1] * 1000 + math.floor(clock[2] / 1000)

local refusal
if not rain[1] then refusal = '{"code":"-8"}'
elseif rain[6] and rain[6] ~= '' then refusal = '{"code":"-7"}'
elseif rain[1] == 'closed' or rain[1] == 'settled' then refusal = '{"code":"-3"}'
elseif rain[1] == 'draft' or now < tonumber(rain[2]) then refusal = '{"code":"-2"}'
elseif now >= tonumber(rain[3]) then refusal = '{"code":"-3"}'
elseif rain[1] == 'paused' then refusal = '{"code":"-4"}'
elseif (rain[7] or '') ~= checked then refusal = '{"code":"-7"}' end

local limit = not refusal and tonumber(rain[5])
local mine = limit and ',' .. round .. ','
local wins = limit and redis.call('HMGET', KEYS[6], unpack(ARGV)) or {}

local seen, bad, window, at = 0, {}, {}, 0
-- The fields of the next packet as text, which also end its claim and its answer.
local function next_packet()
  while #bad < BAD_MAX do
    if at == 0 then window = redis.call('LRANGE', KEYS[2], -(seen + #ARGV), -(seen + 1)) end
    at = at > 0 and at or #window
    if at == 0 then refusal = rain[4] and '{"code":"-1","shards":' .. rain[4] .. '}' or '{"code":"-1"}' return end
    local signed = window[at]:find('"mac"', 1, true) and window[at] or window[at]:gsub('}$', ',"mac":""}')
    local id, amount = signed:match('^{"redPacketId":"([%w._-]+)","amount":"(%d+%.%d%d)","mac":"[%w_-]*"}$')
    at, seen = at - 1, seen + 1
    local sound = id and #id <= 128 and #signed <= 256
      and (amount:find('^[1-9]') and #amount <= 17 or #amount == 4 and amount ~= '0.00')
    if sound then return signed:sub(2) end
    bad[#bad + 1] = window[at + 1]
  end
  refusal = '{"code":"-7"}'
end

-- Also an entry of another user's win, under this name: it is no win of this user.
local function repeated(claim, user)
  local ok, first = pcall(cjson.decode, claim)
  local own = ok and type(first) == 'table' and first.userId == user
  return own and ('{"code":"1","redPacketId":%s,"amount":%s,"mac":%s}'):format(
    cjson.encode(tostring(first.redPacketId)), cjson.encode(tostring(first.amount)),
      cjson.encode(tostring(first.mac or ''))) or '{"code":"-7"}'
end

local answers, fields, log, won, counts, head = {}, {}, {}, {}, {}, nil
for i, user in ipairs(ARGV) do
  if won[user] or claimed[i] then answers[i] = won[user] and '{"code":"1",' .. won[user] or repeated(claimed[i], user)
  elseif wins[i] and (select(2, wins[i]:gsub('%d+', '')) >= limit or wins[i]:find(mine, 1, true)) then
    answers[i] = '{"code":"-11"}'
  else
    local packet = not refusal and next_packet()
    if packet then
      head = head or '{"rainId":' .. cjson.encode(rain_id) .. ',"at":"' .. string.format('%.0f', now)
        .. (gateway ~= '' and '","gateway":"' .. gateway or '') .. '","userId":'
      fields[#fields + 1], fields[#fields + 2] = user, head .. cjson.encode(user) .. ',' .. packet
      log[#log + 1], won[user], answers[i] = fields[#fields], packet, '{"code":"0",' .. packet
      if limit then counts[#counts + 1], counts[#counts + 2] = user, (wins[i] or '') .. mine end
    else answers[i] = refusal end
  end
end

if seen > 0 then
  for key = 4, 5 do redis.call('LLEN', KEYS[key]) end -- raises here, before any write, when a key is of another type
  if #log > 0 then
    redis.call('HSET', KEYS[3], unpack(fields))
    redis.call('LPUSH', KEYS[4], unpack(log))
    if limit then redis.call('HSET', KEYS[6], unpack(counts)) end
  end
  if #bad > 0 then redis.call('LPUSH', KEYS[5], unpack(bad)) end
  redis.call('RPOP', KEYS[2], seen)
end
return answers
