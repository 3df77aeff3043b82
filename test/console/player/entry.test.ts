import { decodeJwt } from 'jose';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { guestsAmong, NOBODY_BLOCKED } from '../../../src/console/blockedGuests.ts';
import { createGuestTokens } from '../../../src/console/guests.ts';
import { createEntryTokens } from '../../../src/console/entryTokens.ts';
import { createArrivals } from '../../../src/console/player/arrivals.ts';
import { createTokenReader } from '../../../src/platform/auth/tokenReader.ts';
import { startConsole, type Console } from '../../../src/console/server.ts';
import { createLog } from '../../../src/platform/telemetry/log.ts';
import { PLAYER_PAGE } from '../../browser/built-page.ts';
import { eventually } from '../../support/eventually.ts';

const tokens = createEntryTokens({ secret: 'a secret of at least thirty-two characters' });
let opened: Console;
let closed: Console;
let byCodeOnly: Console;
let party: Console;
const asked: string[] = [];
let counts = 0;
const OPTIONS = {
  host: '127.0.0.1',
  port: 0,
  gatewayUrl: 'ws://127.0.0.1:8687/v1',
  pageFolder: PLAYER_PAGE,
  log: createLog('console', 'silent'),
} as const;
beforeAll(async () => {
  const enterByCode = async (code: string) => {
    asked.push(code);
    return code === 'ABCDEFGH01' ? { userId: 'participant-E1/Anna', name: 'Anna' } : undefined;
  };
  opened = await startConsole({
    ...OPTIONS,
    entry: {
      tokens,
      screens: true,
      wrongCodes: { atOnceMax: 60, perMinute: 60, callersRemembered: 10 },
      enterByCode,
      countPhones: async () => ++counts,
    },
  });
  closed = await startConsole(OPTIONS);
  byCodeOnly = await startConsole({ ...OPTIONS, entry: { tokens, enterByCode } });
  const guests = createGuestTokens({ secret: 'a secret of at least thirty-two characters' });
  party = await startConsole({ ...OPTIONS, entry: { guests, tokens, screens: true } });
});
afterAll(() => Promise.all([opened?.close(), closed?.close(), byCodeOnly?.close(), party?.close()]));

const post = (url: string, path: string, body?: object) =>
  fetch(`${url}/api/${path}`, {
    method: 'POST',
    ...(body && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
  });

test('a code as it was typed gives the token of its person; the page learns that there are codes', async () => {
  for (const code of ['ABCDE-FGH01', ' abcde fghoi ']) {
    const answer = await post(opened.url, 'participant', { code });
    expect(answer.headers.get('cache-control')).toBe('no-store');
    const person = await answer.json();
    expect(person).toEqual({
      token: expect.any(String),
      expiresAt: expect.any(Number),
      userId: 'participant-E1/Anna',
      name: 'Anna',
    });
    expect(decodeJwt(person.token)).toMatchObject({ sub: 'participant-E1/Anna', exp: person.expiresAt / 1_000 });
    expect(decodeJwt(person.token)).not.toHaveProperty('watch');
  }
  expect(await (await fetch(`${opened.url}/api/config`)).json()).toMatchObject({ participants: true });
  expect(await (await fetch(`${closed.url}/api/config`)).json()).not.toHaveProperty('participants');
});

test('[R12] an unknown code, and what can be none, is refused; the second kind asks nobody', async () => {
  asked.length = 0;
  const refused = async (body: object) => {
    const answer = await post(opened.url, 'participant', body);
    return [answer.status, ((await answer.json()) as { code: string }).code];
  };
  expect(await refused({ code: 'ZZZZZZZZZZ' })).toEqual([404, 'no_such_code']);
  expect(await refused({ code: 'short' })).toEqual([404, 'no_such_code']);
  expect(await refused({ code: 'U'.repeat(10) })).toEqual([404, 'no_such_code']);
  expect(await refused({ code: 'x'.repeat(65) })).toEqual([400, 'bad_request']);
  expect(await refused({})).toEqual([400, 'bad_request']);
  expect(asked).toEqual(['ZZZZZZZZZZ']);
});

test('a screen gets a token that only watches; where nobody comes in there is neither', async () => {
  const { token, expiresAt } = (await (await post(opened.url, 'screen')).json()) as {
    token: string;
    expiresAt: number;
  };
  expect(decodeJwt(token)).toMatchObject({
    sub: expect.stringMatching(/^screen-/) as string,
    watch: true,
    exp: expiresAt / 1_000,
  });
  expect((await post(byCodeOnly.url, 'screen')).status, 'an own system without guests and event').toBe(404);
  expect(
    await Promise.all(
      [
        post(closed.url, 'screen'),
        post(closed.url, 'participant', { code: 'ABCDEFGH01' }),
        post(closed.url, 'guest'),
      ].map(async (answer) => (await answer).status),
    ),
  ).toEqual([404, 404, 404]);
});

test('the screen of an event learns how many sockets there are, from one count a second; elsewhere nobody does', async () => {
  const count = async () => ((await (await fetch(`${opened.url}/api/present`)).json()) as { phones: number }).phones;
  expect([await count(), await count()]).toEqual([1, 1]);
  expect((await fetch(`${closed.url}/api/present`)).status).toBe(404);
});

test('[R10] wrong codes of one phone keep no right one of its hall out, however many; they only take longer', async () => {
  const enter = async (code: string) => (await post(opened.url, 'participant', { code })).status;
  const [began, wrong] = [performance.now(), 200];
  let guessing = true;
  const guesses = Array.from({ length: 6 }, async () => {
    const statuses: number[] = [];
    while (guessing) statuses.push(await enter('ZZZZZZZZZZ'));
    return statuses;
  });
  await eventually(() => expect(asked.filter((code) => code === 'ZZZZZZZZZZ').length).toBeGreaterThan(wrong));
  expect(performance.now() - began, 'beyond the first 60 five hundred a second are looked up').toBeGreaterThan(
    ((wrong - 60 - 6) / 4) * 8 * 0.9,
  );
  const hall = await Promise.all(Array.from({ length: 200 }, () => enter('ABCDEFGH01')));
  guessing = false;
  expect(new Set(hall)).toEqual(new Set([200]));
  expect(new Set((await Promise.all(guesses)).flat())).toEqual(new Set([404]));
});

test('[R10] a guess that nobody waits for any more is not looked up', async () => {
  const answers: (() => void)[] = [];
  const looked: string[] = [];
  const slow = await startConsole({
    ...OPTIONS,
    entry: {
      tokens,
      enterByCode: async (code) => {
        looked.push(code);
        await new Promise<void>((resolve) => answers.push(resolve));
        return undefined;
      },
    },
  });
  onTestFinished(() => slow.close());
  const leaving = new AbortController();
  const guess = (signal?: AbortSignal) =>
    fetch(`${slow.url}/api/participant`, {
      method: 'POST',
      body: JSON.stringify({ code: 'ZZZZZZZZZZ' }),
      headers: { 'content-type': 'application/json' },
      ...(signal && { signal }),
    });
  const first = Array.from({ length: 4 }, () => guess());
  await eventually(() => expect(looked).toHaveLength(4));
  const others = Array.from({ length: 20 }, () => guess(leaving.signal).catch(() => undefined));
  for (let i = 0; i < 20; i++) await fetch(`${slow.url}/healthz`);
  leaving.abort();
  await Promise.all(others);
  for (let i = 0; i < 20; i++) await fetch(`${slow.url}/healthz`);
  for (const answer of answers) answer();
  expect((await Promise.all(first)).map(({ status }) => status)).toEqual([404, 404, 404, 404]);
  expect(looked).toHaveLength(4);
});

describe('a page of another site', () => {
  const asking = (headers: Record<string, string>, path = 'guest') =>
    fetch(`${party.url}/api/${path}`, { method: 'POST', headers }).then(({ status }) => status);

  test('[R10] takes no places of guests from the address of its visitor', async () => {
    const own = new URL(party.url).origin;
    const foreign: Record<string, string>[] = [
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site', origin: own },
      { origin: 'https://evil.example' },
      { origin: 'null' },
      { origin: own.replace('127.0.0.1', '127.0.0.2') },
    ];
    for (const headers of foreign) expect(await asking(headers), JSON.stringify(headers)).toBe(403);
    const flood = Array.from({ length: 100 }, () => asking({ 'sec-fetch-site': 'cross-site' }));
    expect(new Set(await Promise.all(flood))).toEqual(new Set([403]));
    const hall = Array.from({ length: 60 }, () => asking({ 'sec-fetch-site': 'same-origin', origin: own }));
    expect(new Set(await Promise.all(hall)), 'every place is left').toEqual(new Set([200]));
  });

  test.each(['participant', 'screen'])('is refused at /api/%s, too', async (path) => {
    expect(await asking({ origin: 'https://evil.example' }, path)).toBe(403);
  });

  test('is none where a native app asks, or somebody opens the page over plain http', async () => {
    expect(await asking({}, 'screen')).toBe(200);
    expect(await asking({ origin: new URL(party.url).origin }, 'screen')).toBe(200);
  });
});

test('only a screen learns the names of those who have come, as winners are shown; of blocked people none', async () => {
  const secret = 'a secret of at least thirty-two characters';
  const blocked = new Set<string>();
  const start = (names: 'full' | 'masked' | 'none') =>
    startConsole({
      host: '127.0.0.1',
      port: 0,
      gatewayUrl: 'ws://127.0.0.1:8687/v1',
      pageFolder: PLAYER_PAGE,
      log: createLog('console', 'silent'),
      entry: {
        tokens,
        guests: createGuestTokens({ secret }),
        screens: true,
        enterByCode: async () => ({ userId: 'participant-E1/Anna', name: 'Anna' }),
        countPhones: async () => 3,
        countInvited: async () => 80,
        names,
        readToken: createTokenReader({ secret }, Date.now),
        blockedGuests: async () =>
          guestsAmong(
            [...blocked].map((who) => ({ kind: 'user', who, by: 'ann', at: 0 }) as never),
            Date.now(),
          ),
      },
    });
  const consoles = await Promise.all((['full', 'masked', 'none'] as const).map(start));
  onTestFinished(async () => void (await Promise.all(consoles.map((one) => one.close()))));
  const present = async (one: Console, token?: string) =>
    (
      await fetch(
        `${one.url}/api/present`,
        token === undefined ? {} : { headers: { authorization: `Bearer ${token}` } },
      )
    ).json();
  const tokenOf = async (answer: Promise<Response>) =>
    (await (await answer).json()) as { token: string; userId: string };
  for (const one of consoles) {
    await post(one.url, 'participant', { code: 'ABCDEFGH01' });
    await post(one.url, 'guest');
  }
  const [full, masked, none] = consoles as [Console, Console, Console];
  const bob = await tokenOf(post(full.url, 'guest', { name: 'Bob Stone' }));
  const screen = (await tokenOf(post(full.url, 'screen'))).token;
  expect(await present(full, screen), 'nameless guests are counted only').toEqual({
    phones: 3,
    invited: 80,
    names: ['Bob Stone', 'Anna'],
  });
  await post(full.url, 'guest', { token: bob.token });
  expect((await present(full, screen)).names, 'whoever comes again is no other').toEqual(['Bob Stone', 'Anna']);
  for (const token of [undefined, bob.token, 'none'])
    expect(await present(full, token), 'others learn the number').toEqual({ phones: 3 });
  expect((await present(masked, screen)).names).toEqual(['A•••a']);
  expect((await present(none, screen)).names).toEqual([]);
  for (const who of [bob.userId, 'participant-E1/Anna']) blocked.add(who);
  expect((await present(full, screen)).names).toEqual([]);
});

test('[R10] the screen learns of so many names, the last ones', () => {
  const arrivals = createArrivals();
  for (let i = 0; i < 1_000; i++) arrivals.add(`participant-E${i}/Anna ${i}`);
  const names = arrivals.names('full', NOBODY_BLOCKED);
  expect([names.length, names[0]]).toEqual([24, 'Anna 999']);
});

test('[R9] a blocked guest is not renewed, and does not come back under the same name or one that looks like it', async () => {
  const guests = createGuestTokens({ secret: 'a secret of at least thirty-two characters' });
  const { token, userId } = await guests.issue('Anna Li');
  const block = { kind: 'user', who: userId, reason: 'a script', actor: 'cli:ann', since: 0 } as const;
  let blocks: Parameters<typeof guestsAmong>[0] = [];
  const server = await startConsole({
    ...OPTIONS,
    entry: { guests, blockedGuests: async () => guestsAmong(blocks, Date.now()) },
  });
  onTestFinished(() => server.close());
  const ask = async (body: object) => {
    const answer = await post(server.url, 'guest', body);
    return [answer.status, await answer.json()];
  };
  expect(await ask({ token })).toMatchObject([200, { userId }]);
  blocks = [block];
  expect(await ask({ token })).toMatchObject([403, { code: 'blocked' }]);
  for (const name of ['Anna Li', 'anna  li', 'Аnnа Lі', 'A.n.n.a L1', 'Ａｎｎａ Ｌｉ'])
    expect(await ask({ name }), name).toMatchObject([400, { refusals: [{ field: 'name' }] }]);
  expect(await ask({ name: 'Ben' })).toMatchObject([200, {}]);
  blocks = [{ ...block, until: Date.now() - 1 }];
  expect(await ask({ token })).toMatchObject([200, { userId }]);
  expect(await ask({ name: 'Anna Li' })).toMatchObject([200, {}]);
});
