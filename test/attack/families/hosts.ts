import { blockCaller } from '../../../src/operator/block.ts';
import { tokenFor } from '../../support/client.ts';
import { eventually } from '../../support/eventually.ts';
import { ask } from '../asker.ts';
import type { Attempts, Family } from '../family.ts';
import { upgradeStatus } from '../raw.ts';
import type { Scene } from '../scene.ts';

/** Names that somebody else may let point here. */
const FOREIGN = (port: number) => [
  'evil.example',
  `evil.example:${port}`,
  'localhost.evil.example',
  '127.0.0.1.evil.example',
  `127.0.0.1.nip.io:${port}`,
  'evil.example.',
  '127.0.0.1@evil.example',
  'localhost:80@evil.example',
  'evil.example#localhost',
  'evil.example/localhost',
  'localhost\\.evil.example',
  '[evil.example]',
  'evil.example:localhost',
  'EVIL.EXAMPLE',
  'xn--evl-hma.example',
  'localhos',
  '.localhost',
  '*',
  'null',
  '127.0.0.1, evil.example',
  `evil.example:${'1'.repeat(300)}`,
];
const PATHS = [
  '/',
  '/healthz',
  '/api/config',
  '/api/me',
  '/console/',
  '/api/console/session',
  '/api/console/rains',
  '/console/queues/',
  '/api/console/queues',
  '/nothing',
];
/** Headers that only a proxy of ours may write. */
const FORWARDED = (address: string): Record<string, string> => ({
  'x-forwarded-for': address,
  'x-real-ip': address,
  forwarded: `for=${address};host=evil.example;proto=https`,
  'x-forwarded-host': 'evil.example',
  'x-forwarded-proto': 'https',
  'x-forwarded-port': '443',
  'x-forwarded-server': 'evil.example',
  'true-client-ip': address,
  'cf-connecting-ip': address,
  'x-client-ip': address,
  'x-original-url': '/console/',
  'x-rewrite-url': '/console/',
  'x-original-host': 'evil.example',
  'x-host': 'evil.example',
});

async function rebinding({ console: { port } }: Scene, attempts: Attempts, from: string): Promise<void> {
  for (const host of FOREIGN(port)) {
    const { status, text } = await ask(port, '/api/config', { headers: { host }, from });
    attempts.refused(
      `Host: ${host.slice(0, 60)}`,
      `${status} ${text.includes('gatewayUrl') ? 'told' : ''}`,
      /^(421|400) $/,
    );
  }
  for (const path of PATHS)
    attempts.refused(
      `Host: evil.example at ${path}`,
      (await ask(port, path, { headers: { host: 'evil.example' }, from })).status,
      421,
    );
  attempts.refused(
    'signs in under a foreign name',
    (
      await ask(port, '/api/console/session', {
        method: 'POST',
        headers: { host: 'evil.example', origin: 'http://evil.example' },
        body: { name: 'opal', password: 'a' },
        from,
      })
    ).status,
    421,
  );
  for (const host of [`localhost:${port}`, `127.0.0.1:${port}`, `[::1]:${port}`, `LOCALHOST:${port}`])
    attempts.control(`Host: ${host}`, (await ask(port, '/api/config', { headers: { host }, from })).status, 200);
}

/** The headers of a proxy change nothing for somebody who is none. */
async function forwarded(scene: Scene, attempts: Attempts, from: string): Promise<void> {
  const {
    console: { port },
    staff,
  } = scene;
  const headers = FORWARDED('127.0.0.1');
  const honest = await ask(port, '/api/config', { from });
  attempts.control('the page asks for its settings', honest.status, 200);
  attempts.refused(
    'the address of the gateway, with headers of a proxy',
    (await ask(port, '/api/config', { headers, from })).text,
    honest.text,
  );
  const body = { name: staff.viewer.name, password: staff.viewer.password };
  const cookies = async (more: Record<string, string>) =>
    (
      (await ask(port, '/api/console/session', { method: 'POST', headers: more, body, from })).headers['set-cookie'] ??
      []
    )
      .map((line) => line.replace(/=[^;]*/, '').replace(/Max-Age=\d+/, ''))
      .join();
  const plain = await cookies({});
  attempts.control('signs in, with a cookie', plain, /rain_session/);
  attempts.refused('the cookies, with headers of a proxy', await cookies(headers), plain);
  attempts.refused(
    'a sign-in of another site, with the name of that site as the forwarded one',
    (
      await ask(port, '/api/console/session', {
        method: 'POST',
        headers: { ...headers, origin: 'https://evil.example' },
        body,
        from,
      })
    ).status,
    403,
  );
}

/** Limits and blocks are of the address that a connection comes from. */
async function limits(scene: Scene, attempts: Attempts): Promise<void> {
  const {
    console: { port },
    gateway,
    context,
    strict,
  } = scene;
  const guesser = scene.address();
  const answers: number[] = [];
  for (let i = 0; i < 8; i++) {
    const headers = {
      'x-forwarded-for': `203.0.113.${i}`,
      'x-real-ip': `203.0.113.${i}`,
      forwarded: `for=203.0.113.${i}`,
    };
    answers.push(
      (
        await ask(port, '/api/console/session', {
          method: 'POST',
          headers,
          body: { name: 'nobody-of-hosts', password: 'a guess' },
          from: guesser,
        })
      ).status,
    );
  }
  attempts.refused(
    'eight guesses of one address that calls itself eight',
    answers.join(' '),
    '401 401 401 401 401 401 429 429',
  );

  const [blocked, other] = [scene.address(), scene.address()];
  const token = await tokenFor('host-user');
  attempts.control(
    'an address that is not blocked, as one that will be',
    await upgradeStatus(gateway.port, token, { from: other, lines: [`X-Forwarded-For: ${blocked}`] }),
    101,
  );
  const done = await blockCaller(context, 'address', blocked, { reason: 'attack' });
  if (!done.ok) throw new Error(JSON.stringify(done));
  await eventually(async () => (await upgradeStatus(gateway.port, token, { from: blocked })) === 403);
  for (const line of [
    `X-Forwarded-For: ${other}`,
    `X-Forwarded-For: ${other}, ${other}`,
    `Forwarded: for=${other}`,
    `X-Real-IP: ${other}`,
  ]) {
    attempts.refused(
      `a blocked address with ${line}`,
      await upgradeStatus(gateway.port, token, { from: blocked, lines: [line] }),
      403,
    );
    const [name, value] = line.split(': ') as [string, string];
    attempts.refused(
      `… over HTTP with ${line}`,
      (
        await ask(gateway.port, '/v1/sales/none', {
          headers: { authorization: `Bearer ${token}`, [name]: value },
          from: blocked,
        })
      ).status,
      403,
    );
  }
  attempts.control(
    'another address that names the blocked one',
    await upgradeStatus(gateway.port, token, { from: other, lines: [`X-Forwarded-For: ${blocked}`] }),
    101,
  );
  attempts.refused(
    'an origin that a forwarded host makes its own',
    await upgradeStatus(strict.port, token, {
      from: other,
      lines: ['Origin: https://evil.example', 'X-Forwarded-Host: evil.example'],
    }),
    403,
  );
}

export const hosts: Family = {
  name: 'names of the host',
  async attack(scene, attempts) {
    await rebinding(scene, attempts, scene.address());
    await forwarded(scene, attempts, scene.address());
    await limits(scene, attempts);
  },
};
