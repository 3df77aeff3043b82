-- restore.lua: put back wins that their users were told and that Redis has lost since.
--
-- KEYS[1] state    hash: state, frozen, rainId; of a round of a campaign also winsMax
-- KEYS[2] packets  list: what is still to be handed out, from the tail
-- KEYS[3] claimed  hash: userId -> claim JSON
-- KEYS[4] claims   list: the claim log, newest at the head
-- KEYS[5] restored set: contested claims that are in the log already, expiring
-- KEYS[6] wins     hash of the campaign: userId -> the rounds he has won in, such as ",1,,4,"; untouched without winsMax
-- ARGV    userId, claim JSON, list element of its packet; n times, 1 <= n <= 32
-- RETURNS counts {put back, contested, there before}; when nothing was written "settled", "frozen" (it is being settled this
--         moment, ask again) or nil (no such rain)
-- WHY     A failover may lose wins that were told. Whose packet still lies in the list gets it back as if nothing had
--         happened. Where the packet is another's by now, or the user has another one, the claim goes to the log all the
--         same: the ledger's unique keys decide whose it is, and the other is reported, not forgotten. Either may be paid,
--         so either counts as a win of the campaign. All that can fail comes before the first write. Nothing is believed but that it was told: the book pays no packet twice.

local DEPTH_MAX = 10000 -- lost packets lie at the tail again; beyond this depth one is left where it is [R10]
local MARK_MS = 691200000 -- eight days: longer than a rain lasts, and than anybody asks to have something put back

local rain = redis.call('HMGET', KEYS[1], 'state', 'frozen', 'rainId', 'winsMax')
if not rain[1] then return nil end
if rain[1] == 'settled' then return 'settled' end
if rain[2] then return 'frozen' end
local mine = rain[4] and ',' .. rain[3]:match('%.(%d+)$') .. ','
redis.call('LLEN', KEYS[4]) -- raises here, before any write, when the key is of another type

local fields, log, marks, wins, served, taken, there = {}, {}, {}, {}, {}, {}, 0
for i = 1, #ARGV, 3 do
  local user, entry, element = ARGV[i], ARGV[i + 1], ARGV[i + 2]
  local told = cjson.decode(entry)
  local held = redis.call('HGET', KEYS[3], user)
  local ok, found = pcall(cjson.decode, held or '')
  local same = ok and type(found) == 'table' and found.redPacketId == told.redPacketId and found.amount == told.amount
  local mark = told.redPacketId .. '\n' .. user
  if same or redis.call('SISMEMBER', KEYS[5], mark) == 1 then
    there = there + 1
  else
    log[#log + 1] = entry
    local won = mine and (redis.call('HGET', KEYS[6], user) or '')
    -- Once however often it is told: it is the round that is counted, not the telling.
    if won and not won:find(mine, 1, true) then wins[#wins + 1], wins[#wins + 2] = user, won .. mine end
    local free = not taken[element] and redis.call('LPOS', KEYS[2], element, 'RANK', -1, 'MAXLEN', DEPTH_MAX)
    -- Also of a contested claim the packet leaves the list: it is named in the log, and must not be promised once more.
    if free then taken[element] = true end
    if free and not held and not served[user] then
      fields[#fields + 1], fields[#fields + 2], served[user] = user, entry, true
    else
      marks[#marks + 1] = mark
    end
  end
end

if #fields > 0 then redis.call('HSET', KEYS[3], unpack(fields)) end
if #log > 0 then redis.call('LPUSH', KEYS[4], unpack(log)) end
if #wins > 0 then redis.call('HSET', KEYS[6], unpack(wins)) end
if #marks > 0 then
  redis.call('SADD', KEYS[5], unpack(marks))
  redis.call('PEXPIRE', KEYS[5], MARK_MS)
end
for element in pairs(taken) do redis.call('LREM', KEYS[2], -1, element) end
return { #fields / 2, #marks, there }
