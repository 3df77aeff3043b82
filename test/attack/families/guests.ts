import { Readable } from 'node:stream';
import { setTimeout } from 'node:timers/promises';
import { decodeJwt, UnsecuredJWT } from 'jose';
import { blockCaller } from '../../../src/operator/block.ts';
import { importParticipants, participantCards, removeParticipants } from '../../../src/operator/participants.ts';
import { signToken, type Named } from '../../../src/platform/auth/token.ts';
import { SECRET } from '../../support/client.ts';
import { ask, type Answer } from '../asker.ts';
import type { Attempts, Family } from '../family.ts';
import { inShort, playerOf } from '../player.ts';
import type { Running, Scene } from '../scene.ts';

/** Guests that one address may make at once at a console without an event, and while the test asks. */
const AT_ONCE = 60;
const MEANWHILE = 5;
const DAY_MS = 86_400_000;
/** A console knows of a block after a second. */
const BLOCKS_KNOWN_MS = 1_500;

type Guest = (from: string, body?: unknown) => Promise<Answer>;

export const guests: Family = {
  name: 'guests',
  async attack(scene, attempts) {
    // Behind one proxy, so that any address can be played, and its port with it.
    const demo = await scene.start(['console', '--guests', '--participants'], { TRUSTED_PROXIES: '1' });
    const guest: Guest = (from, body) =>
      ask(demo.port, '/api/guest', {
        method: 'POST',
        headers: { 'x-forwarded-for': from },
        ...(body !== undefined && { body }),
      });
    const { token, userId } = (await guest('203.0.113.1')).json as { token: string; userId: string };
    attempts.control('a guest gets an id', userId, /^guest-[\w-]{12}$/);
    await tooMany(attempts, guest);
    await madeUp(attempts, guest, token, userId);
    await limited(attempts, guest);
    await blocked(scene, attempts, guest);
    await elsewhere(scene, attempts, demo, token);
    await codes(scene, attempts, demo);
    await screens(scene, attempts, demo);
    const line = await scene.socket(token, scene.address());
    attempts.control(
      'the token opens a socket at the gateway of the demo',
      (await line.next('welcome')).userId,
      userId,
    );
    await line.leave();
  },
};

async function tooMany(attempts: Attempts, guest: Guest): Promise<void> {
  const floods: [string, (i: number) => string][] = [
    ['one address', () => '198.51.100.7'],
    ['one address with a port each', (i) => `198.51.100.8:${40_000 + i}`],
    ['one /64', (i) => `2001:db8:0:7::${(i + 1).toString(16)}`],
    ['one /64, with ports', (i) => `[2001:db8:0:8:${(i + 1).toString(16)}::1]:${40_000 + i}`],
    ['one IPv4 address as IPv6 in two spellings', (i) => (i % 2 === 0 ? '::ffff:198.51.100.9' : '198.51.100.9')],
    ['one address that writes others before its own', (i) => `10.0.${i}.1, 198.51.100.10`],
    ['what is no address', (i) => `unknown-${i}`],
  ];
  for (const [what, from] of floods) {
    const answers = await Promise.all(Array.from({ length: AT_ONCE + 20 }, (_, i) => guest(from(i))));
    attempts.refused(
      `eighty guests of ${what}: those that get an id`,
      answers.filter(({ status }) => status === 200).length <= AT_ONCE + MEANWHILE,
      true,
    );
    const refused = answers.find(({ status }) => status !== 200);
    attempts.refused(
      `the refusal of ${what}`,
      `${refused?.status} ${String(refused?.json?.['code'])} ${Number(refused?.headers['retry-after']) > 0}`,
      '429 too_many true',
    );
  }
  attempts.control('another address gets a guest meanwhile', (await guest('203.0.113.2')).status, 200);
  attempts.control('so does another /64', (await guest('2001:db8:0:9::1')).status, 200);
}

/** Ids that somebody would like to have. */
async function madeUp(attempts: Attempts, guest: Guest, token: string, userId: string): Promise<void> {
  const from = '203.0.113.3';
  const signed = (sub: string, secret = SECRET, now = Date.now()) =>
    signToken(secret, { sub, expiresInSeconds: 60 }, now);
  const wished = 'guest-somebodyelse';
  const tokens: [string, string][] = [
    ['an id in place of a token', wished],
    ['a token without signature', new UnsecuredJWT({}).setSubject(wished).setExpirationTime('2h').encode()],
    ['a token signed with another secret', await signed(wished, 'a guess of thirty-two characters or more')],
    ['a token of three days ago', await signed(wished, SECRET, Date.now() - 3 * DAY_MS)],
    ['the token of a player who is no guest', await signed('alice')],
    ['a token cut short', token.slice(0, -4)],
    [
      'a token with another id',
      `${token.split('.')[0]}.${Buffer.from(JSON.stringify({ sub: wished, exp: 9_999_999_999 })).toString('base64url')}.${token.split('.')[2]}`,
    ],
    ['an empty token', ''],
  ];
  for (const [what, former] of tokens) {
    const { status, json } = await guest(from, { token: former });
    attempts.refused(
      `${what} brings its id`,
      status === 200 && (json?.['userId'] === wished || json?.['userId'] === 'alice' || json?.['userId'] === userId),
      false,
    );
  }
  const bodies: [string, unknown][] = [
    ['an id', { userId: wished }],
    ['a sub', { token, sub: wished }],
    ['a token that is a list', { token: [token] }],
    ['a token of three kilobytes', { token: 'x'.repeat(3_000) }],
    ['a list', [token]],
    ['a text', JSON.stringify(token)],
  ];
  for (const [what, body] of bodies)
    attempts.refused(`${what} as the body`, (await guest(from, body)).status, [400, 415]);
  attempts.control('the guest of before keeps the id', String((await guest(from, { token })).json?.['userId']), userId);
}

/** Renewals that would give more than the former token had, and names that would be believed. */
async function limited(attempts: Attempts, guest: Guest): Promise<void> {
  const from = '203.0.113.5';
  const renew = async (claims: Named & { authTime?: number }, now = Date.now()) => {
    const token = await signToken(SECRET, { sub: 'guest-limited', expiresInSeconds: 60, ...claims }, now);
    const given = (await guest(from, { token })).json as { token: string; userId: string };
    return { ...given, claims: decodeJwt(given.token) };
  };
  attempts.refused(
    'a token for one rain renewed for all',
    JSON.stringify((await renew({ rains: ['one'] })).claims['rains']),
    '["one"]',
  );
  attempts.refused('a token that watches renewed to take part', (await renew({ watch: true })).claims['watch'], true);
  attempts.refused(
    'a guest of eight days ago renewed once more',
    (await renew({ authTime: Date.now() / 1_000 - 8 * 24 * 3_600 })).userId,
    /^guest-[\w-]{12}$/,
  );
  attempts.control('a guest of today is renewed', (await renew({})).userId, 'guest-limited');
  for (const name of ['\u2800\u2800', '🏆 Ann Li 10000.00', 'Аdmin', '官方客服'])
    attempts.refused(`the name ${name}`, (await guest(from, { name })).status, 400);
  attempts.control('an honest name', (await guest(from, { name: '王小明' })).status, 200);
}

async function blocked({ context }: Scene, attempts: Attempts, guest: Guest): Promise<void> {
  const from = '203.0.113.6';
  const { token, userId } = (await guest(from, { name: 'Mallory' })).json as { token: string; userId: string };
  attempts.control('a guest who is not blocked is renewed', (await guest(from, { token })).status, 200);
  if (!(await blockCaller(context, 'user', userId, { reason: 'a script' })).ok) throw new Error('nobody was blocked');
  await setTimeout(BLOCKS_KNOWN_MS);
  attempts.refused('a blocked guest is renewed', (await guest(from, { token })).status, 403);
  for (const name of ['Mallory', 'mallory', 'Маllоrу'])
    attempts.refused(`a blocked guest comes back as ${name}`, (await guest(from, { name })).status, 400);
  attempts.control('another name comes in', (await guest(from, { name: 'Nora' })).status, 200);
}

/** Where a guest is nobody. */
async function elsewhere(scene: Scene, attempts: Attempts, demo: Running, token: string): Promise<void> {
  const from = scene.address();
  const authorization = `Bearer ${token}`;
  for (const [what, { port }] of [
    ['the console', scene.console],
    ['the console of the demo', demo],
  ] as const) {
    attempts.refused(
      `the token of a guest at ${what}`,
      (await ask(port, '/api/console/rains', { headers: { authorization }, from })).status,
      401,
    );
    attempts.refused(
      `the same as a cookie at ${what}`,
      (await ask(port, '/api/console/rains', { headers: { cookie: `rain_session=${token}` }, from })).status,
      401,
    );
    attempts.refused(
      `the same at the queues of ${what}`,
      (await ask(port, '/api/console/queues', { headers: { authorization }, from })).status,
      401,
    );
  }
  attempts.refused(
    'the token at a gateway of another key',
    await scene.socket(token, from, scene.strict.port).then(
      () => 'opened',
      (error: Error) => error.message,
    ),
    /401/,
  );
  attempts.refused(
    'a guest at a console that is no demo',
    (await ask(scene.console.port, '/api/guest', { method: 'POST', body: {}, from })).status,
    404,
  );
  attempts.refused(
    'an order paid without money at a console that is no demo',
    (await ask(scene.console.port, '/api/demo-shop/pay', { method: 'POST', body: { reservationId: 'sale-1' }, from }))
      .status,
    404,
  );
  attempts.refused(
    'the same at a demo without a demo shop',
    (
      await ask(demo.port, '/api/demo-shop/pay', {
        method: 'POST',
        body: { reservationId: 'sale-1' },
        headers: { 'x-forwarded-for': '203.0.113.4' },
      })
    ).status,
    404,
  );
  const secret = await scene.rain({ terms: { invitedOnly: true } });
  const invited = await playerOf(scene, 'invited', { named: { rains: [secret] } });
  const [line, own] = [await scene.socket(token, from), await invited.connect()];
  line.say({ type: 'grab', rainId: secret });
  attempts.refused('a grab of a guest in a rain by invitation', (await line.next('result')).code, '-8');
  attempts.control(
    'a grab of somebody who is invited',
    inShort(await own.ask({ type: 'grab', rainId: secret }, 'result')),
    'result 0',
  );
  await line.leave();
  await own.leave();
}

/** Codes of people on the list of participants. */
async function codes({ context }: Scene, attempts: Attempts, { port }: Running): Promise<void> {
  const list = Readable.from([Buffer.from('number,name\nA1,Anna\nA2,Bob\n')]);
  if (!(await importParticipants(context, list)).ok) throw new Error('the list was not imported');
  const [anna, bob] = (await participantCards(context))
    .filter(({ number }) => number === 'A1' || number === 'A2')
    .map(({ code }) => code!) as [string, string];
  const enter = async (code: unknown) => {
    const { status, json } = await ask(port, '/api/participant', {
      method: 'POST',
      headers: { 'x-forwarded-for': '203.0.113.77' },
      body: { code },
    });
    return status === 200 ? String(json?.['userId']) : `${status} ${String(json?.['code'])}`;
  };
  const { codeKey } = (await context.ledger.participant('A1'))!;
  const guesses: [string, unknown][] = [
    ['a code of zeros', '0'.repeat(10)],
    ['half of two codes', anna.slice(0, 5) + bob.slice(5)],
    ['the key that the ledger keeps of a code', codeKey],
    ['the number of a participant', 'A1'],
    ['the user id of a participant', 'participant-A1/Anna'],
    ['a pattern', '%'.repeat(10)],
    ['a code with a character too many', `${anna}0`],
    ['a NUL in a code', `${anna}\0`],
    ['the code under another number', context.signer.participantCodes('A3', 0)[0]!],
    ['the next code of a participant, before it was given', context.signer.participantCodes('A1', 1)[0]!],
  ];
  for (const [what, code] of guesses)
    attempts.refused(`${what} lets somebody in`, await enter(code), /^(404 no_such_code|400 bad_request)$/);
  for (const code of [[anna], { contains: '' }, 1, null])
    attempts.refused(`a code that is ${JSON.stringify(code).slice(0, 12)}`, await enter(code), '400 bad_request');
  attempts.control('the code on the card does', await enter(anna), 'participant-A1/Anna');
  await removeParticipants(context, ['A2']);
  attempts.refused('the code of somebody who was removed', await enter(bob), '404 no_such_code');
}

/** The token of a hall's screen, which anybody in the hall can take. */
async function screens(scene: Scene, attempts: Attempts, { port }: Running): Promise<void> {
  const from = '203.0.113.78';
  const { token } = (await ask(port, '/api/screen', { method: 'POST', headers: { 'x-forwarded-for': from } })).json as {
    token: string;
  };
  const [rainId, saleId] = [await scene.rain(), await scene.sale()];
  const screen = await scene.socket(token, scene.address());
  screen.say({ type: 'join', rainId });
  attempts.control('a screen sees a rain', (await screen.next('rain')).type, 'rain');
  screen.say({ type: 'grab', rainId, ref: '1' });
  attempts.refused('a screen grabs', (await screen.next('result')).code, '-8');
  screen.say({ type: 'buy', saleId, sku: 'tee', ref: 'r1' });
  attempts.refused('a screen buys', (await screen.next('order')).code, '-8');
  const bought = await ask(scene.gateway.port, `/v1/sales/${saleId}/buy`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'idempotency-key': 'r1' },
    body: { sku: 'tee' },
    from: scene.address(),
  });
  attempts.refused('a screen buys over HTTP', String(bought.json?.['code']), '-8');
  const renewed = await ask(port, '/api/guest', {
    method: 'POST',
    headers: { 'x-forwarded-for': from },
    body: { token },
  });
  attempts.refused(
    'the token of a screen becomes one of a guest with its id',
    String(renewed.json?.['userId']).startsWith('screen-'),
    false,
  );
  await screen.leave();
}
