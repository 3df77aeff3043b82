import { decodeJwt } from 'jose';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { guestsAmong } from '../../../src/console/blockedGuests.ts';
import { createGuestTokens } from '../../../src/console/guests.ts';
import { createEntryTokens } from '../../../src/console/entryTokens.ts';
import { startConsole, type Console } from '../../../src/console/server.ts';
import { createLog } from '../../../src/platform/telemetry/log.ts';
import { PLAYER_PAGE } from '../../browser/built-page.ts';

const tokens = createEntryTokens({ secret: 'a secret of at least thirty-two characters' });
let opened: Console;
let closed: Console;
let byCodeOnly: Console;
const asked: string[] = [];
let counts = 0;
beforeAll(async () => {
  const options = {
    host: '127.0.0.1',
    port: 0,
    gatewayUrl: 'ws://127.0.0.1:8687/v1',
    pageFolder: PLAYER_PAGE,
    log: createLog('console', 'silent'),
  } as const;
  const enterByCode = async (code: string) => {
    asked.push(code);
    return code === 'ABCDEFGH01' ? { userId: 'participant-E1/Anna', name: 'Anna' } : undefined;
  };
  opened = await startConsole({
    ...options,
    entry: {
      tokens,
      screens: true,
      wrongCodes: { atOnceMax: 60, perMinute: 60, callersRemembered: 10 },
      enterByCode,
      countPhones: async () => ++counts,
    },
  });
  closed = await startConsole(options);
  byCodeOnly = await startConsole({ ...options, entry: { tokens, enterByCode } });
});
afterAll(() => Promise.all([opened?.close(), closed?.close(), byCodeOnly?.close()]));

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

test('[R10] after too many wrong codes of an address none of it is looked up for a while; right codes are not counted', async () => {
  const enter = async (code: string) => {
    const answer = await post(opened.url, 'participant', { code });
    return [answer.status, Number(answer.headers.get('retry-after'))];
  };
  const right = await Promise.all(Array.from({ length: 200 }, () => enter('ABCDEFGH01')));
  expect(new Set(right.map(([status]) => status))).toEqual(new Set([200]));
  asked.length = 0;
  const wrong = await Promise.all(Array.from({ length: 200 }, () => enter('ZZZZZZZZZZ')));
  expect(wrong.filter(([status]) => status === 404).length).toBe(asked.length);
  expect(asked.length, 'those that were on their way are looked up, too').toBeLessThanOrEqual(60 + 32 + 5);
  expect(wrong.filter(([status, waitSeconds]) => status === 429 && waitSeconds! > 0).length).toBe(200 - asked.length);
  expect((await enter('ABCDEFGH01'))[0], 'or the right one could be guessed').toBe(429);
});

test('[R9] a blocked guest is not renewed, and does not come back under the same name or one that looks like it', async () => {
  const guests = createGuestTokens({ secret: 'a secret of at least thirty-two characters' });
  const { token, userId } = await guests.issue('Anna Li');
  const block = { kind: 'user', who: userId, reason: 'a script', actor: 'cli:ann', since: 0 } as const;
  let blocks: Parameters<typeof guestsAmong>[0] = [];
  const server = await startConsole({
    host: '127.0.0.1',
    port: 0,
    gatewayUrl: 'ws://127.0.0.1:8687/v1',
    pageFolder: PLAYER_PAGE,
    log: createLog('console', 'silent'),
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
