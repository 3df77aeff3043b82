import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ITEM_PICTURE_LIMITS, ITEM_PICTURES_MAX } from '../../../src/sale/picture.ts';
import { openTestConsole, type TestConsole, type Visitor } from '../../support/servers/testConsole.ts';
import { execute } from '../../support/servers/postgres.ts';
import { pngOf } from '../../support/png.ts';
import { png } from '../../support/themeFiles.ts';

const PATH = '/api/console/sale-pictures';
const ADDRESS = /^\/api\/sale\/pictures\/[0-9a-f]{64}\.webp$/;

let testConsole: TestConsole;
let opal: Visitor;
let vera: Visitor;
beforeAll(async () => {
  testConsole = await openTestConsole();
  [opal, vera] = [await testConsole.signIn('opal'), await testConsole.signIn('vera')];
});
afterAll(() => testConsole?.stop());

async function put(bytes: Uint8Array, { cookie, csrf }: Visitor = opal) {
  const answer = await fetch(testConsole.url + PATH, {
    method: 'PUT',
    headers: { cookie, 'x-csrf-token': csrf, 'content-type': 'image/png' },
    body: new Uint8Array(bytes),
  });
  return { status: answer.status, body: (await answer.json()) as { picture: string; refusals?: unknown } };
}

test('an operator uploads a picture, the same again is the same, and an item has its address', async () => {
  const kept = await put(pngOf(8, 8, [200, 30, 40]));
  expect(kept).toMatchObject({ status: 200, body: { picture: expect.stringMatching(ADDRESS) } });
  expect((await put(pngOf(8, 8, [200, 30, 40]))).body).toEqual(kept.body);
  expect(await put(pngOf(8, 8, [1, 2, 3]), vera)).toMatchObject({ status: 403 });
});

describe('[R12] what is no picture of an item is refused', () => {
  test.each([
    ['an SVG', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'), 422],
    ['the header of a picture', png(8, 8), 422],
    ['few bytes of many pixels', png(60_000, 60_000), 422],
    ['a larger side', png(ITEM_PICTURE_LIMITS.sidePixelsMax + 1, 8), 422],
    ['too many bytes', png(8, 8, { data: Buffer.alloc(2_000_000) }), 413],
    ['nothing', Buffer.alloc(0), 422],
  ])('%s', async (_what, bytes, status) => {
    expect((await put(bytes)).status).toBe(status);
  });
});

test('[R10] when there are as many pictures as there may be, those go that no item names, and not before a day', async () => {
  const fill = (age: string) => `INSERT INTO "ItemPicture" ("sha256", "bytes", "keptAt")
    SELECT encode(sha256(one), 'hex'), one, now() - interval '${age}' FROM (
      SELECT int4send(n) AS one FROM generate_series(1, ${ITEM_PICTURES_MAX}) AS n
      LIMIT ${ITEM_PICTURES_MAX} - (SELECT count(*) FROM "ItemPicture")) AS made`;
  const named = (await put(pngOf(8, 8, [9, 9, 9]))).body.picture;
  await opal.ask('POST', '/api/console/sales', {
    id: 'named',
    items: [{ sku: 'tee', units: 1, price: '1.00', picture: named }],
    holdMs: 60_000,
    opensAt: Date.now() + 3_600_000,
    closesAt: Date.now() + 7_200_000,
  });
  await execute(testConsole.databaseUrl, fill('1 hour'));
  expect(await put(pngOf(8, 8, [10, 9, 9]))).toMatchObject({ status: 422, body: { refusals: [{ field: 'picture' }] } });
  expect((await put(pngOf(8, 8, [9, 9, 9]))).body.picture, 'it is kept already').toBe(named);
  await execute(testConsole.databaseUrl, `UPDATE "ItemPicture" SET "keptAt" = now() - interval '2 days'`);
  expect((await put(pngOf(8, 8, [10, 9, 9]))).status).toBe(200);
  expect(await testConsole.ledger.itemPictures()).toHaveProperty('size', 2);
  expect((await fetch(testConsole.url + named)).status).toBe(200);
});
