import { randomBytes } from 'node:crypto';
import { API } from '../../../src/console/contract/api.ts';
import { tokenFor } from '../../support/client.ts';
import { ask, type Answer } from '../asker.ts';
import { tryGateway } from '../doors.ts';
import type { Attempts, Family } from '../family.ts';
import type { Scene } from '../scene.ts';

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
const brief = ({ status, json }: Answer) => `${status} ${String(json?.['code'] ?? '')}`;

/** Visitors who are nobody at the console. */
async function nobodies({ staff }: Scene): Promise<[string, Record<string, string>][]> {
  const made = randomBytes(32).toString('base64url');
  return [
    ['nobody', {}],
    ['a player', bearer(await tokenFor('opal'))],
    ['a player as a cookie', { cookie: `rain_session=${await tokenFor('opal')}` }],
    ['a made-up token', bearer(`rop_${made}`)],
    ['a made-up session', { cookie: `rain_session=${made}` }],
    ['the name of an operator as token', bearer('opal')],
    ['the token of an operator as cookie', { cookie: `rain_session=${staff.operator.token}` }],
    ['the token without its beginning', bearer(staff.operator.token.slice(4))],
    ['the token in other letters', bearer(staff.operator.token.toUpperCase())],
    [
      'name and password',
      { authorization: `Basic ${Buffer.from(`opal:${staff.operator.password}`).toString('base64')}` },
    ],
    [
      'headers that call somebody an operator',
      {
        'x-user': 'opal',
        'x-forwarded-user': 'opal',
        'x-remote-user': 'opal',
        'x-role': 'operator',
        'x-admin': 'true',
      },
    ],
  ];
}

async function everyRoute(scene: Scene, attempts: Attempts, from: string): Promise<void> {
  const {
    console: { port },
    staff,
  } = scene;
  const ids: Record<string, string> = {
    rainId: await scene.rain(),
    saleId: await scene.sale(),
    campaignId: 'none',
    orderId: 'none-1',
    letterId: 'none-0-0-9f86d081884c7d65',
    name: 'ticker',
    kind: 'user',
    who: 'nobody',
    sessionId: '0'.repeat(16),
    approvalId: '0'.repeat(18),
  };
  const nobody = await nobodies(scene);
  let reads = 0;
  for (const [n, { id, method, path, access }] of API.filter((endpoint) => endpoint.access !== 'anybody').entries()) {
    const url = path.replace(/:(\w+)/g, (_, name: string) => ids[name] ?? 'none');
    const body = method === 'POST' || method === 'PUT' ? {} : undefined;
    const as = async (headers: Record<string, string>) =>
      ask(port, url, { method, headers, ...(body && { body }), from });
    // Each route refuses somebody without anything, and one of the others in turn.
    for (const [who, headers] of [nobody[0]!, nobody[1 + (n % (nobody.length - 1))]!])
      attempts.refused(`${who} at ${id}`, brief(await as(headers)), '401 no_session');
    if (access === 'operator')
      attempts.refused(`a viewer at ${id}`, brief(await as(bearer(staff.viewer.token))), '403 not_allowed');
    else if (method === 'GET') reads += Number((await as(bearer(staff.viewer.token))).status < 400);
  }
  for (const [who, headers] of nobody)
    attempts.refused(
      `${who} reads the rains`,
      brief(await ask(port, '/api/console/rains', { headers, from })),
      '401 no_session',
    );
  attempts.control('a viewer reads', reads >= 20, true);
}

/** More money than one operator may move alone. */
async function fourEyes({ console: { port }, staff, context }: Scene, attempts: Attempts, from: string): Promise<void> {
  const as = (token: string, path: string, body?: unknown) =>
    ask(port, path, { method: 'POST', headers: bearer(token), ...(body !== undefined && { body }), from });
  const id = 'attack-dear';
  const window = { opensAt: Date.now() + 60_000, closesAt: Date.now() + 120_000 };
  const rain = (budget: string) => ({ id, plan: { budget, packets: 10 }, ...window });
  attempts.refused(
    'an operator creates a dear rain alone',
    brief(await as(staff.operator.token, '/api/console/rains', rain('1000.01'))),
    '403 needs_approval',
  );
  const listed = (await ask(port, '/api/console/approvals', { headers: bearer(staff.viewer.token), from })).json![
    'approvals'
  ] as { id: string; rainId: string }[];
  const approve = `/api/console/approvals/${listed.find(({ rainId }) => rainId === id)?.id ?? 'none'}/approve`;
  attempts.refused('the operator approves it, too', brief(await as(staff.operator.token, approve)), '422 refused');
  attempts.refused(
    '… at once, ten times',
    (await Promise.all(Array.from({ length: 10 }, () => as(staff.operator.token, approve)))).filter(
      ({ status }) => status < 400,
    ).length,
    0,
  );
  attempts.refused('a viewer approves it', brief(await as(staff.viewer.token, approve)), '403 not_allowed');
  attempts.refused(
    'another budget under its id',
    brief(await as(staff.operator.token, '/api/console/rains', rain('9999.99'))),
    /^(403 needs_approval|422 refused)$/,
  );
  for (const budget of ['1000.010', '1e4', '+2000.00', ' 2000.00', '２０００.００', 2_000])
    attempts.refused(
      `the budget ${budget}`,
      (
        await as(staff.operator.token, '/api/console/rains', {
          ...rain('1.00'),
          id: 'attack-odd',
          plan: { budget, packets: 10 },
        })
      ).status,
      [400, 403, 422],
    );
  attempts.refused('a rain that nobody has approved', await context.ledger.rain(id), 'undefined');
  const parts = await as(staff.operator.token, '/api/console/rains', { ...rain('1000.00'), id: 'attack-parts' });
  attempts.control('a rain of the amount itself', parts.status, 201);
  attempts.refused(
    'a top-up of it with more',
    brief(await as(staff.operator.token, '/api/console/rains/attack-parts/top-up', { budget: '1000.01', packets: 5 })),
    '403 needs_approval',
  );
  attempts.control('another operator approves the dear rain', brief(await as(staff.second.token, approve)), '200 ');
  attempts.refused('… and once more', brief(await as(staff.second.token, approve)), '422 refused');
  attempts.control('it is there', (await context.ledger.rain(id))?.budgetCents === 100_001n, true);
}

export const roles: Family = {
  name: 'roles',
  async attack(scene, attempts) {
    const from = scene.address();
    await everyRoute(scene, attempts, from);
    await fourEyes(scene, attempts, scene.address());
    const saleId = await scene.sale();
    for (const { name, token } of Object.values(scene.staff))
      attempts.refused(
        `the token of ${name} at the gateway`,
        (await tryGateway(scene.gateway.port, saleId, token, from)).join(' '),
        '401 401',
      );
    attempts.refused(
      'the token of an operator at the wallet',
      (await ask(scene.console.port, '/api/me', { headers: bearer(scene.staff.operator.token), from })).status,
      401,
    );
    attempts.control(
      'the token of a player at the gateway',
      (await tryGateway(scene.gateway.port, saleId, await tokenFor('ann'), from)).join(' '),
      '101 200',
    );
  },
};
