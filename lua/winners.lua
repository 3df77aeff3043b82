-- winners.lua: the users of one rain who hold a claim, or of a campaign who have won, a page at a time.
--
-- KEYS[1] claimed  hash: userId -> claim JSON; or the campaign's wins, by userId too
-- ARGV    cursor ("0" begins), how many to look at
-- RETURNS next cursor ("0": that was all), userId ...; a user may come twice, one who was there all the time is never missed
-- WHY     HSCAN alone sends the claims, too, which are ten times as long as the ids and are not wanted here.

local reply = redis.call('HSCAN', KEYS[1], ARGV[1], 'COUNT', ARGV[2])
local page = { reply[1] }
for i = 1, #reply[2], 2 do page[#page + 1] = reply[2][i] end
return page
