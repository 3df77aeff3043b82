-- correct.lua: put back what buyers are told of their reservations, after somebody has changed it by hand.
--
-- KEYS[1] buyers  hash: userId -> "ordinal:sku:quantity:status:payBy:ref;" for each reservation
-- ARGV    userId, ordinal, the "status:payBy" that was found there, the "status:payBy" that it should have been; n
--         times, 1 <= n <= 128
-- RETURNS n numbers: 1 changed; 0 it says something else by now, or is gone
-- WHY     follow.lua only moves a status forward. The counts of the stock are not touched: whoever changed a status by
--         hand has not changed them with it, and the audit compares them by themselves.

local answers = {}
for i = 1, #ARGV, 4 do
  local user, ordinal, found, right = ARGV[i], ARGV[i + 1], ARGV[i + 2], ARGV[i + 3]
  local entry = ';' .. (redis.call('HGET', KEYS[1], user) or '')
  local _, last = entry:find(';' .. ordinal .. ':[%w_-]+:%d+:')
  local isFound = last and entry:sub(last + 1, last + #found + 1) == found .. ':'
  if isFound then redis.call('HSET', KEYS[1], user, entry:sub(2, last) .. right .. entry:sub(last + #found + 1)) end
  answers[#answers + 1] = isFound and 1 or 0
end
return answers
