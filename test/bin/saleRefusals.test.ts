import { beforeAll, expect, test } from 'vitest';
import { rain } from '../support/call.ts';
import { openSaleStage } from '../operator/sale/saleStage.ts';
const stage = await openSaleStage();
const { context } = stage;
let env: Record<string, string>;
beforeAll(() => {
  env = { REDIS_URL: context.redisUrl, DATABASE_URL: context.databaseUrl };
});

const json = (text: string) => JSON.parse(text) as Record<string, unknown>;
const sale = (...words: string[]) => rain(['sale', ...words], env);

test.each<[string, string[], number, string | RegExp]>([
  ['no item', ['create'], 2, '--item: missing, expected an item such as tee:100@19.90'],
  [
    'an item without a price',
    ['create', '--item', 'tee:5'],
    2,
    /^option '--item <sku:units@price>' argument 'tee:5' is invalid\. expected <sku>:<units>@<price> such as tee:100@19\.90$/,
  ],
  [
    'no units',
    ['create', '--item', 'tee:0@1'],
    2,
    /argument 'tee:0@1' is invalid\. units: expected a whole number from 1 to 1,000,000,000$/,
  ],
  [
    'units below nothing',
    ['create', '--item', 'tee:-10@1'],
    2,
    /argument 'tee:-10@1' is invalid\. units: expected a whole number/,
  ],
  [
    'half a unit',
    ['create', '--item', 'tee:1.5@1'],
    2,
    /argument 'tee:1\.5@1' is invalid\. units: expected a whole number/,
  ],
  [
    '1e16 units',
    ['create', '--item', 'tee:1e16@1'],
    2,
    /argument 'tee:1e16@1' is invalid\. units: expected a whole number/,
  ],
  [
    'a price of three digits',
    ['create', '--item', 'tee:1@1.999'],
    2,
    /argument 'tee:1@1\.999' is invalid\. price: expected an amount from 0\.00 to \S+ with two decimals, such as 19\.90$/,
  ],
  [
    'a start so long ago that the sale would be over',
    ['create', '--item', 'tee:1@1', '--start', '2026-01-01T10:00:00+08:00', '--duration', '2m'],
    1,
    /^--start: 2026-01-01T02:00:00\.000Z has passed already, and so has the end, 2026-01-01T02:02:00\.000Z$/,
  ],
  ['a SKU in words', ['create', '--item', 'a tee:1@1'], 2, /argument 'a tee:1@1' is invalid\. sku: expected a SKU/],
  [
    'a SKU twice',
    ['create', '--item', 'tee:1@1', '--item', 'tee:2@1'],
    2,
    /argument 'tee:2@1' is invalid\. sku: tee was given before, expected each SKU once$/,
  ],
  [
    'both ways to give items',
    ['create', '--item', 'tee:1@1', '--items', 'x.json'],
    2,
    '--items: expected either --item or --items, not both',
  ],
  ['a file that is not there', ['create', '--items', 'x.json'], 2, '--items: x.json cannot be read: ENOENT'],
  [
    'nothing per user',
    ['create', '--item', 'tee:1@1', '--per-user', '0'],
    2,
    /^option '--per-user <n>' argument '0' is invalid\. expected a whole number from 1 to 1000$/,
  ],
  [
    'a hold that is no time',
    ['create', '--item', 'tee:1@1', '--hold', 'long'],
    2,
    /^option '--hold <time>' argument 'long' is invalid\. expected a duration/,
  ],
  [
    'a hold of half a second',
    ['create', '--item', 'tee:1@1', '--hold', '500ms'],
    1,
    '--hold: expected 1s to 7d, in whole milliseconds',
  ],
  [
    'a start that is no time',
    ['create', '--item', 'tee:1@1', '--start', 'noon'],
    2,
    /^option '--start <moment>' argument 'noon' is invalid/,
  ],
  ['a month', ['create', '--item', 'tee:1@1', '--duration', '30d'], 1, '--duration: a sale lasts a week at most'],
  ['an id that cannot be', ['create', '--item', 'tee:1@1', '--id', 'a/b'], 1, /^--id: expected 1 to 64 letters/],
  ['no title', ['create', '--item', 'tee:1@1', '--title', ''], 1, '--title: expected a title'],
  [
    'a round of nothing',
    ['create', '--item', 'tee:1@1', '--round', '1'],
    2,
    '--campaign: missing, expected the campaign of this round',
  ],
  [
    'a round of a campaign that there is not',
    ['create', '--item', 'tee:1@1', '--campaign', 'x'],
    1,
    '--campaign: there is no campaign x',
  ],
  [
    'a campaign that there is not',
    ['create', '--item', 'tee:1@1', '--campaign', 'x', '--round', '1'],
    1,
    '--campaign: there is no campaign x',
  ],
  [
    'a service that there is not',
    ['create', '--item', 'tee:1@1', '--order-service', 'fax'],
    2,
    /^option '--order-service <name>' argument 'fax' is invalid\. Allowed choices are builtin, webhook\.$/,
  ],
  ['load of nothing', ['load', 'nowhere'], 1, 'id: there is no sale nowhere'],
  ['start of nothing', ['start', 'nowhere'], 1, 'id: there is no sale nowhere'],
  ['pause of nothing', ['pause', 'nowhere'], 1, 'id: there is no sale nowhere'],
  ['resume of nothing', ['resume', 'nowhere'], 1, 'id: there is no sale nowhere'],
  ['end of nothing', ['end', 'nowhere'], 1, 'id: there is no sale nowhere'],
  ['show of nothing', ['show', 'nowhere'], 1, 'id: there is no sale nowhere'],
  ['orders of nothing', ['orders', 'nowhere'], 1, 'id: there is no sale nowhere'],
  ['replay of nothing', ['replay', 'nowhere'], 1, 'id: there is no sale nowhere'],
  ['audit of nothing', ['audit', 'nowhere'], 1, 'id: there is no sale nowhere'],
  ['repair of nothing', ['audit', 'nowhere', '--repair'], 1, 'id: there is no sale nowhere'],
  ['audit of none', ['audit'], 2, 'id: missing, expected the id of a sale, or --all'],
  ['audit of one and all', ['audit', 'x', '--all'], 2, '--all: expected an id or --all, not both'],
  [
    'a dry run of an audit',
    ['audit', 'x', '--dry-run'],
    2,
    '--dry-run: only with --repair or --acknowledge-tampering; an audit alone changes nothing',
  ],
  [
    'all tampering acknowledged',
    ['audit', '--all', '--acknowledge-tampering', 'x'],
    2,
    '--acknowledge-tampering: only for one sale at a time',
  ],
  [
    'tampering acknowledged without a reason',
    ['audit', 'newyear', '--acknowledge-tampering', ''],
    1,
    '--acknowledge-tampering: expected 1 to 500 characters',
  ],
  ['a repair of all', ['audit', '--all', '--repair'], 2, '--repair: only for one sale at a time'],
  ['top-up of nothing', ['top-up', 'nowhere', '--item', 'tee:1'], 1, 'id: there is no sale nowhere'],
  [
    'top-up without units',
    ['top-up', 'x', '--item', 'tee'],
    2,
    /^option '--item <sku:units>' argument 'tee' is invalid\. expected <sku>:<units> such as tee:50$/,
  ],
  [
    'top-up of no units',
    ['top-up', 'x', '--item', 'tee:0'],
    2,
    /argument 'tee:0' is invalid\. units: expected a whole number/,
  ],
  [
    'a status that there is not',
    ['orders', 'x', '--status', 'lost'],
    2,
    /^option '--status <status>' argument 'lost' is invalid/,
  ],
  ['a user that cannot be', ['orders', 'newyear', '--user', ''], 1, '--user: expected 1 to 128 printable characters'],
  ['an order that cannot be', ['orders', 'newyear', '--order', '#'], 1, /^--order: expected the id of a reservation/],
  ['CSV as JSON', ['orders', 'newyear', '--csv', '--json'], 2, '--csv: expected either --csv or --json'],
  ['cancel of nothing', ['cancel', 'nowhere-1', '--reason', 'x'], 1, /^order: there is no order nowhere-1/],
  ['refund without a reason', ['refund', 'nowhere-1', '--reason', ''], 1, '--reason: expected 1 to 500 characters'],
])('[R12] `rain sale` refuses %s, by the name of what was typed', async (_, words, exit, reason) => {
  const run = await sale(...words, ...(words.includes('--json') ? [] : ['--json']));
  expect(json(run.stdout)).toEqual({
    ok: false,
    exit,
    reasons: [typeof reason === 'string' ? reason : (expect.stringMatching(reason) as string)],
  });
  expect(run.exit).toBe(exit);
});
