import { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { shardKeys, shardOf } from '../../../src/store/keys.ts';
import { createGrabEngine } from '../../../src/grab/engine.ts';
import { redisNow } from '../../../src/store/rains.ts';
import { createRain } from '../../../src/operator/create.ts';
import { loadRain } from '../../../src/operator/load.ts';
import { importParticipants, participantCards } from '../../../src/operator/participants.ts';
import { claimLog } from '../../support/operatorContext.ts';
import { openTestConsole, type TestConsole, type Visitor } from '../../support/servers/testConsole.ts';

interface Winner {
  redPacketId: string;
  userId: string;
  amount: string;
  at: string;
  status: string;
}
interface Page {
  winners: Winner[];
  next?: string;
}

let testConsole: TestConsole;
let vera: Visitor;
let opal: Visitor;
beforeAll(async () => {
  testConsole = await openTestConsole();
  [vera, opal] = [await testConsole.signIn('vera'), await testConsole.signIn('opal')];
});
afterAll(() => testConsole?.stop());

const page = async (rainId: string, query = ''): Promise<Page> => {
  const { status, body } = await vera.ask('GET', `/api/console/rains/${rainId}/winners${query}`);
  expect([status, body]).toEqual([200, body]);
  return body as Page;
};
async function pages(rainId: string, query: string, from = ''): Promise<Winner[]> {
  const all: Winner[] = [];
  for (let next: string | undefined = from; next !== undefined;) {
    const one: Page = await page(rainId, `?${query}${next && `&cursor=${next}`}`);
    all.push(...one.winners);
    next = one.next;
  }
  return all;
}
const csv = async (rainId: string) => vera.ask('GET', `/api/console/rains/${rainId}/winners.csv`);
/** Thirty packets in `shards` shards, won by these users in this order. */
async function won(id: string, shards: number, users: string[]): Promise<void> {
  const now = await redisNow(testConsole.redis);
  await createRain(testConsole, {
    id,
    plan: { budget: '30.00', packets: 30, split: { method: 'even' } },
    opensAt: now - 1_000,
    closesAt: now + 600_000,
    shards,
  });
  await loadRain(testConsole, id);
  await grab(id, users, shards);
}

describe('the winners of a rain', () => {
  test('are those of the claim log, each once, latest first, with their status', async () => {
    testConsole.barred.add('user-1');
    await testConsole.wonRain('states', 3);
    await testConsole.credit();
    await grab('states', ['late']);
    const { winners, next } = await page('states');
    expect(next === undefined || (await page('states', `?cursor=${next}`)).winners.length === 0).toBe(true);
    expect(winners.map(({ userId, status }) => [userId, status])).toEqual([
      ['late', 'pending'],
      ['user-2', 'credited'],
      ['user-1', 'dead'],
      ['user-0', 'credited'],
    ]);
    const log = await claimLog(testConsole, 'states');
    expect(winners.map(({ redPacketId, amount, at }) => ({ redPacketId, amount, at }))).toEqual(
      log
        .reverse()
        .map(({ redPacketId, amount, at }) => ({ redPacketId, amount, at: new Date(Number(at)).toISOString() })),
    );
    const letters = (await vera.ask('GET', '/api/console/dead?rainId=states')).body as {
      letters: { letterId: string; userId: string; reason: string }[];
      total: number;
    };
    expect(letters.letters).toMatchObject([
      { userId: 'user-1', reason: 'refused', amount: '1.00', redPacketId: 'states-1' },
    ]);
    const { letterId } = letters.letters[0]!;
    expect(await opal.ask('POST', `/api/console/dead/${letterId}/discard`, { reason: '' })).toMatchObject({
      status: 422,
      body: { refusals: [{ field: 'reason' }] },
    });
    expect(await opal.ask('POST', `/api/console/dead/${letterId}/discard`, { reason: 'closed' })).toMatchObject({
      status: 200,
      body: { outcome: 'returned', amount: '1.00' },
    });
    expect(await opal.ask('POST', `/api/console/dead/${letterId}/discard`, { reason: 'again' })).toMatchObject({
      status: 200,
      body: { outcome: 'already', actor: 'console:opal', reason: 'closed' },
    });
    expect((await page('states', '?search=user-1')).winners).toMatchObject([{ userId: 'user-1', status: 'discarded' }]);
    testConsole.barred.clear();
  });

  test('a requeued dead letter is credited, and so is its winner', async () => {
    testConsole.barred.add('user-0');
    await testConsole.wonRain('again', 1);
    await testConsole.credit();
    testConsole.barred.clear();
    const { letters } = (await vera.ask('GET', '/api/console/dead?rainId=again')).body as {
      letters: { letterId: string }[];
    };
    expect(await opal.ask('POST', `/api/console/dead/${letters[0]!.letterId}/requeue`, {})).toMatchObject({
      status: 200,
      body: { requeued: 1 },
    });
    await testConsole.drained();
    expect((await page('again')).winners).toMatchObject([{ userId: 'user-0', status: 'credited' }]);
    expect(await opal.ask('POST', `/api/console/dead/${letters[0]!.letterId}/requeue`, {})).toMatchObject({
      status: 422,
    });
  });

  test.each([[1], [3]])(
    'with %i shards, are the same for every page size, and new wins do not shift the pages',
    async (shards) => {
      const rain = `pages-${shards}`;
      const users = Array.from({ length: 17 }, (_, i) => `user-${i}`);
      await won(rain, shards, users);
      const whole = await pages(rain, 'limit=500');
      expect(whole.map(({ userId }) => userId)).toHaveLength(17);
      expect(new Set(whole.map(({ userId }) => userId))).toEqual(new Set(users));
      expect(whole.map(({ at }) => at)).toEqual(
        whole
          .map(({ at }) => at)
          .sort()
          .reverse(),
      );
      for (const limit of [1, 2, 5, 16])
        expect(
          (await pages(rain, `limit=${limit}`)).map(({ userId }) => userId),
          `limit ${limit}`,
        ).toHaveLength(17);
      const first = await page(rain, '?limit=5');
      await grab(rain, ['latecomer'], shards);
      const rest = await pages(rain, 'limit=5', first.next);
      expect(new Set([...first.winners, ...rest].map(({ userId }) => userId))).toEqual(new Set(users));
    },
  );

  test('are found by complete user id, and by the beginning of packet ids', async () => {
    await won('search', 2, ['alice', 'bob', 'search-1']);
    expect((await page('search', '?search=alice')).winners).toMatchObject([{ userId: 'alice', status: 'pending' }]);
    expect((await page('search', '?search=ali')).winners).toEqual([]);
    expect((await page('search', '?search=search-1')).winners).toMatchObject([{ userId: 'search-1' }]);
    const byPacket = await pages('search', 'search=0');
    expect(byPacket).toMatchObject([{ redPacketId: 'search-0' }]);
    expect((await pages('search', 'search=search-')).map(({ userId }) => userId).sort()).toEqual([
      'alice',
      'bob',
      'search-1',
    ]);
  });

  test('come from the ledger if Redis has lost the log or the keys have expired', async () => {
    await testConsole.wonRain('book', 5);
    await testConsole.credit();
    await testConsole.redis.lrem(
      shardKeys('book', 0).claims,
      1,
      (await testConsole.redis.lindex(shardKeys('book', 0).claims, 2))!,
    );
    await testConsole.redis.hdel(shardKeys('book', 0).claimed, 'user-2');
    const found = await pages('book', 'limit=2');
    expect(found.map(({ userId }) => userId)).toEqual(['user-4', 'user-3', 'user-1', 'user-0', 'user-2']);
    await testConsole.redis.del(...Object.values(shardKeys('book', 0)));
    const expired = await pages('book', 'limit=2');
    expect(expired).toMatchObject(
      [0, 1, 2, 3, 4].map((i) => ({ userId: `user-${i}`, amount: '1.00', status: 'credited' })),
    );
    expect((await page('book', '?search=user-3')).winners).toMatchObject([{ userId: 'user-3', status: 'credited' }]);
    expect((await csv('book')).body).toMatch(/user-4,1\.00,.*,credited\r\n$/);
  });

  test.each(['x', 'l1.2.3', 'l-1', 'b!', 'l'])('[R12] an invalid cursor is refused: %s', async (cursor) => {
    expect(await vera.ask('GET', `/api/console/rains/book/winners?cursor=${cursor}`)).toMatchObject({
      status: 400,
      body: { refusals: [{ field: 'cursor' }] },
    });
  });
});

describe('their export', () => {
  test('is a file that a spreadsheet opens as text: BOM, all winners, and no formulas', async () => {
    const evil = ['=HYPERLINK("http://evil")', '+1', '-2', '@SUM(A1)', 'a,"b"', '\u94b1'];
    await won('export', 1, evil);
    const { status, headers } = await csv('export');
    expect(status).toBe(200);
    expect(headers.get('content-type')).toBe('text/csv; charset=utf-8');
    expect(headers.get('content-disposition')).toBe('attachment; filename="winners-export.csv"');
    expect(headers.get('cache-control')).toBe('no-store');
    const bytes = Buffer.from(
      await (
        await fetch(`${testConsole.url}/api/console/rains/export/winners.csv`, { headers: { cookie: vera.cookie } })
      ).arrayBuffer(),
    );
    expect([...bytes.subarray(0, 3)]).toEqual([0xef, 0xbb, 0xbf]);
    const lines = bytes.subarray(3).toString().trimEnd().split('\r\n');
    expect(lines[0]).toBe('redPacketId,userId,amount,at,localTime,status');
    expect(lines).toHaveLength(7);
    const users = lines
      .slice(1)
      .reverse()
      .map((line) => /^[^,]+,(.*),1\.00,[^,]+,[\d-]+ [\d:]+,pending$/.exec(line)![1]);
    expect(users).toEqual(['"\'=HYPERLINK(""http://evil"")"', "'+1", "'-2", "'@SUM(A1)", '"a,""b"""', '\u94b1']);
  });
});

async function grab(id: string, users: string[], shards = 1): Promise<void> {
  const engine = createGrabEngine(testConsole.redis, (fault) => {
    throw fault;
  });
  for (const user of users) await engine.grab(id, shardOf(user, shards), [user]);
}

test('a user id with a slash whose claim is a dead letter has the status dead, not pending', async () => {
  const user = 'https://id.example/users/7';
  testConsole.barred.add(user);
  await won('slash', 1, [user]);
  await testConsole.credit();
  expect((await page('slash')).winners).toMatchObject([{ userId: user, status: 'dead' }]);
  expect((await page('slash', `?search=${encodeURIComponent(user)}`)).winners).toMatchObject([
    { userId: user, status: 'dead' },
  ]);
});

test('where there is a list of participants, its winners have number, present name and department, in the page and in the CSV', async () => {
  const list = (text: string, rename = false) =>
    importParticipants(testConsole, Readable.from([Buffer.from(text)]), { rename });
  await list('number,name,department\nE1,Anna Li,=Sales\n');
  const [card] = await participantCards(testConsole);
  await testConsole.ledger.enterByCode(testConsole.signer.participantCodeKeys(card!.code!));
  await list('number,name,department\nE1,Anna Lee,=Sales\n', true);
  await won('people', 1, ['somebody', 'participant-E1/Anna Li', 'participant-E9/Nobody']);
  const { winners } = await page('people');
  expect(winners).toMatchObject([
    { userId: 'participant-E9/Nobody' },
    { userId: 'participant-E1/Anna Li', participant: { number: 'E1', name: 'Anna Lee', department: '=Sales' } },
    { userId: 'somebody' },
  ]);
  expect(winners[0]).not.toHaveProperty('participant');
  expect((await page('people', `?search=${encodeURIComponent('participant-E1/Anna Li')}`)).winners).toMatchObject([
    { participant: { number: 'E1' } },
  ]);
  const lines = ((await csv('people')).body as string).trimEnd().split('\r\n');
  expect(lines[0]).toMatch(/status,number,name,department$/);
  expect(lines.slice(1).map((line) => line.split(',').slice(-3))).toEqual([
    ['', '', ''],
    ['E1', 'Anna Lee', "'=Sales"],
    ['', '', ''],
  ]);
});
