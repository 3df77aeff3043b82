-- restore.lua: put back wins that were sent to their users and that Redis has lost since.
--
-- KEYS[1] state    hash: state, frozen; of a round of a campaign also winsMax
-- KEYS[2] packets  list: packets not handed out yet, from the tail
-- KEYS[3] claimed  hash: userId -> claim JSON
-- KEYS[4] claims   list: the claim log, newest at the head
-- KEYS[5] restored set, expiring: marks of contested claims that are in the log already
-- KEYS[6] wins     hash of the campaign: userId -> the rounds that the user has won in, such as ",1,,4,"; unused
--         without winsMax
-- ARGV    userId, claim JSON, list element of its packet, mark, which nobody without the key can make; n times,
--         1 <= n <= 32
-- RETURNS counts {put back, contested, present before}; if nothing was written "settled", "frozen" (settlement is
--         running, retry later) or nil (no such rain)
-- WHY     A failover may lose wins that were sent to their users. If the packet is still in the list, its user gets it
--         back as if nothing had happened. If another user has the packet by now, or the user has another packet, the
--         claim still goes to the log: the ledger's unique keys decide who is paid, and the other claim is reported.
--         Either may be paid, so either counts as a win of the campaign. Everything that can fail comes before the
--         first write. The script trusts only that the claim was sent; the ledger pays no packet twice.

local DEPTH_MAX = 10000 -- lost packets lie at the tail again; deeper ones stay where they are [R10]
local MARK_MS = 691200000 -- eight days: longer than a rain lasts, and later than any restore can come

local rain = redis.call('HMGET', KEYS[1], 'state', 'frozen', 'winsMax')
if not rain[1] then return nil end
if rain[1] == 'settled' then return 'settled' end
if rain[2] then return 'frozen' end
local mine = rain[3] and ',' .. KEYS[1]:match('}:(%d+):') .. ',' -- from the key: a field could have been changed
redis.call('LLEN', KEYS[4]) -- raises here, before any write, when the key is of another type

local fields, log, marks, wins, served, taken, there = {}, {}, {}, {}, {}, {}, 0
for i = 1, #ARGV, 4 do
  local user, entry, element, mark = ARGV[i], ARGV[i + 1], ARGV[i + 2], ARGV[i + 3]
  local claim = cjson.decode(entry)
  local held = redis.call('HGET', KEYS[3], user)
  local ok, found = pcall(cjson.decode, held or '')
  if not ok or type(found) ~= 'table' or found.userId ~= user then held, found = nil, {} end -- none of this user's
  local same = found.redPacketId == claim.redPacketId and found.amount == claim.amount
  if same or redis.call('SISMEMBER', KEYS[5], mark) == 1 then
    there = there + 1
  else
    log[#log + 1] = entry
    local won = mine and (redis.call('HGET', KEYS[6], user) or '')
    -- Repeats count once: the round is stored, not a count.
    if won and not won:find(mine, 1, true) then wins[#wins + 1], wins[#wins + 2] = user, won .. mine end
    local free = not taken[element] and redis.call('LPOS', KEYS[2], element, 'RANK', -1, 'MAXLEN', DEPTH_MAX)
    -- The packet of a contested claim leaves the list as well: the log names it, so it must not be granted again.
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
