import { fileURLToPath } from 'node:url';
import { solveChallenge } from 'altcha-lib';
import { deriveKey } from 'altcha-lib/algorithms/pbkdf2';
import { pino } from 'pino';
import { expect, onTestFinished, test } from 'vitest';
import { WebSocket } from 'ws';
import { pause } from '../../src/store/transitions.ts';
import { signToken } from '../../src/platform/auth/token.ts';
import { dial, SECRET, tokenFor } from '../support/client.ts';
import { listeningLog } from '../support/log.ts';
import { openGateway } from '../support/servers/gateway.ts';
import { handshake } from '../support/handshake.ts';
import { openRedis, stockRain } from '../support/rain.ts';
import { TICKETED } from './sockets/upgradeServers.ts';
import { isNode, place, readTree, walk } from '../tidy/sourceFile.ts';

const { server, redis } = await openRedis();

test('no log contains a token, a part of a token or a secret, at any level, whatever happens in a session', async () => {
  const lines: string[] = [];
  const log = pino(
    { level: 'trace' },
    {
      write: (line: string) => {
        lines.push(line);
      },
    },
  );
  await stockRain(redis, { rainId: 'r1', amounts: ['7.10'] });
  const gateway = await openGateway(server.url, {
    log,
    limits: { messagesPerSecondMax: 20, offencesMax: 30 },
    allowedOrigins: ['https://gala.example'],
  });
  const others = [
    await signToken('another-secret-0123456789-0123456789', { sub: 'ann', expiresInSeconds: 60 }),
    await signToken(SECRET, { sub: 'ann', expiresInSeconds: -60 }),
  ];
  const tokens = [await tokenFor('ann'), await tokenFor('script'), ...others];

  // A complete session, with its errors.
  const ann = await dial(gateway.url, 'ann');
  ann.say({ type: 'join', rainId: 'r1' });
  ann.say({ type: 'grab', rainId: 'r1' });
  expect(await ann.next('result')).toMatchObject({ code: '0' });
  for (const nonsense of [tokens[0]!, { type: 'grab', rainId: 'r1', token: tokens[0] }, '{"type":']) ann.say(nonsense);
  await ann.next('error');
  const script = await dial(gateway.url, 'script');
  for (let i = 0; i < 80; i++) script.say({ type: 'grab', rainId: 'r1' });
  expect(await script.closed).toBe(4430);
  // Every kind of refused upgrade.
  for (const token of tokens) {
    await handshake(gateway.url, 'x', {
      authorization: `Bearer ${token}`,
      origin: 'https://evil.example',
      'x-forwarded-for': '203.0.113.1',
    });
    await handshake(gateway.url.replace('/v1', `/v1?token=${token}`), 'x', { authorization: `Bearer ${token}` });
    const browser = new WebSocket(gateway.url, ['rain.v1', `bearer.${token}`]);
    browser.on('error', () => {});
    browser.once('open', () => browser.terminate());
    await new Promise((resolve) => browser.once('close', resolve));
  }
  // Redis becomes unreachable in the middle: its faults are logged with their details.
  await pause(redis, 'r1', 1);
  process.kill(server.pid, 'SIGSTOP');
  ann.say({ type: 'grab', rainId: 'r1', ref: 'stopped' });
  for (let result = await ann.next('result'); result.ref !== 'stopped'; result = await ann.next('result'));
  process.kill(server.pid, 'SIGCONT');
  await gateway.close();

  const text = lines.join('');
  expect(lines.length, 'there is a log to look at').toBeGreaterThan(2);
  expect(text).toContain('redis fault');
  expect(text).toContain('TRUSTED_PROXIES');
  const secret = [SECRET, ...tokens.flatMap((token) => [token, ...token.split('.').slice(1)])];
  expect(secret.filter((part) => text.includes(part))).toEqual([]);
  expect(text).not.toMatch(/bearer|eyJ|7\.10/i);
}, 30_000);

test('no log contains a ticket or a solution', async () => {
  const lines: string[] = [];
  const log = pino(
    { level: 'trace' },
    {
      write: (line: string) => {
        lines.push(line);
      },
    },
  );
  await stockRain(redis, { rainId: 'ticketed', amounts: ['7.10'], opensInMs: -10_000 });
  const gateway = await openGateway(server.url, { log, challenges: { ...TICKETED, proofOfWork: 'always' } });
  const ann = await dial(gateway.url, 'ann');
  ann.say({ type: 'join', rainId: 'ticketed' });
  const { challenge } = await ann.next('challenge');
  const { counter, derivedKey } = (await solveChallenge({ challenge, deriveKey }))!;
  ann.say({
    type: 'solution',
    rainId: 'ticketed',
    challenge,
    solution: { counter, derivedKey: derivedKey.replace(/./g, '0') },
  });
  await ann.next('error');
  ann.say({ type: 'solution', rainId: 'ticketed', challenge, solution: { counter, derivedKey } });
  const { ticket } = await ann.next('ticket');
  for (let i = 0; i < 3; i++) ann.say({ type: 'grab', rainId: 'ticketed', ticket });
  ann.say({ type: 'grab', rainId: 'ticketed', ticket: ticket.toLowerCase() });
  for (let i = 0; i < 4; i++) await ann.next('result');
  // A fault is logged with its details.
  process.kill(server.pid, 'SIGSTOP');
  ann.say({ type: 'join', rainId: 'ticketed', ticket });
  ann.say({ type: 'grab', rainId: 'ticketed', ticket, ref: 'stopped' });
  for (let result = await ann.next('result'); result.ref !== 'stopped'; result = await ann.next('result'));
  process.kill(server.pid, 'SIGCONT');
  await gateway.close();
  const text = lines.join('');
  expect(lines.length, 'there is a log to look at').toBeGreaterThan(1);
  expect([ticket, derivedKey, challenge.signature, TICKETED.secret].filter((part) => text.includes(part))).toEqual([]);
}, 30_000);

test('an unconfigured proxy is reported once', async () => {
  const { log, heard } = listeningLog();
  for (const trustedProxies of [0, 1]) {
    const gateway = await openGateway(server.url, { log, trustedProxies });
    onTestFinished(() => gateway.close());
    for (let i = 0; i < 3; i++) await handshake(gateway.url, 'ann', { 'x-forwarded-for': '203.0.113.1' });
  }
  expect(heard.filter(({ level }) => level === 'warn').map(({ msg }) => msg)).toEqual([
    expect.stringContaining('TRUSTED_PROXIES is 0'),
  ]);
});

test('none of our URLs carries a token', () => {
  const root = fileURLToPath(new URL('../..', import.meta.url));
  const files = readTree(root, ['src', 'client-demo/src'], /\.ts$/);
  expect(files.length).toBeGreaterThan(100);
  const named = files.filter(({ text }) => /[?&](token|jwt|bearer|access_token)=/i.test(text)).map(({ path }) => path);
  expect(named).toEqual([]);
});

/** Names of secrets and of values derived from them. */
const SECRET_NAME =
  /^(secret|token|jwt|signature|mac|hmac|password|jwtSecret|redisPassword|WEBHOOK_SECRET|JWT_SECRET|TICKET_SECRET|expected(Signature|Mac))$/;

/**
 * `a === b` where both sides are known at run time only and one is a secret. Such a comparison stops at the first
 * difference, and its duration reveals the position.
 */
function secretComparisons(files: ReturnType<typeof readTree>): string[] {
  const isSecret = (node: unknown): boolean => {
    if (!isNode(node)) return false;
    const name =
      node.type === 'Identifier'
        ? node['name']
        : node.type === 'MemberExpression' && isNode(node['property'])
          ? (node['property']['name'] ?? node['property']['value'])
          : undefined;
    return typeof name === 'string' && SECRET_NAME.test(name);
  };
  const isConstant = (node: unknown): boolean =>
    isNode(node) && (node.type === 'Literal' || (node.type === 'Identifier' && node['name'] === 'undefined'));
  return files.flatMap((file) => {
    const found: string[] = [];
    walk(file, (node) => {
      if (node.type !== 'BinaryExpression' || !/^[!=]==?$/.test(String(node['operator']))) return;
      const [left, right] = [node['left'], node['right']];
      if ((isSecret(left) || isSecret(right)) && !isConstant(left) && !isConstant(right))
        found.push(place(file, node.start));
    });
    return found;
  });
}

test('secrets are compared in constant time: our code compares none itself; libraries verify signatures', () => {
  const root = fileURLToPath(new URL('../..', import.meta.url));
  // A client compares only values of its own user, so nobody learns anything new from it.
  expect(
    secretComparisons(readTree(root, ['src'], /\.ts$/).filter(({ path }) => !path.startsWith('src/client/'))),
  ).toEqual([]);
  expect(secretComparisons([{ path: 'src/x.ts', text: 'if (given === options.secret) enter();' }])).toEqual([
    'src/x.ts:1',
  ]);
  expect(
    secretComparisons([{ path: 'src/x.ts', text: 'if (secret === undefined || token === "") refuse();' }]),
  ).toEqual([]);
});
