import { afterAll, beforeAll, expect, test } from 'vitest';
import { shardKeys } from '../../src/grab/keys.ts';
import { buildShippedPage } from '../browser/built-page.ts';
import { rain, startCli, type CliProcess } from '../support/cli.ts';
import { SECRET, dial, tokenFor } from '../support/client.ts';
import { openTestDesk, type TestDesk } from '../support/desk.ts';
import { eventually } from '../support/eventually.ts';
import { TcpProxy } from '../support/proxy.ts';

const TICKET_SECRET = 'a-ticket-secret-for-tests-0123456789abcdef';
/** 5 packets of 1735.11: no port, no time and no id looks like that. */
const [BUDGET, AMOUNT, SPOILED] = ['8675.55', '1735.11', '2718.28'];

let desk: TestDesk;
let line: TcpProxy;
let env: Record<string, string>;
const servers = new Map<string, CliProcess>();

beforeAll(async () => {
  [desk] = await Promise.all([openTestDesk(), buildShippedPage()]);
  line = await TcpProxy.open(Number(new URL(desk.databaseUrl).port));
  env = {
    REDIS_URL: desk.redisUrl, DATABASE_URL: desk.databaseUrl.replace(/:\d+\//, `:${line.port}/`), JWT_SECRET: SECRET, TICKETS: 'always', TICKET_SECRET,
    GATEWAY_PORT: '0', CONSOLE_PORT: '0', METRICS_PORT: '0', LOG_LEVEL: 'info',
  };
  for (const args of [['gateway'], ['worker'], ['console', '--guests']]) servers.set(args[0]!, startCli(args, env));
});
afterAll(async () => {
  for (const { child } of servers.values()) child.kill('SIGKILL');
  await Promise.all([...servers.values()].map(({ done }) => done));
  await line.close();
  await desk.stop();
});

const said = () => [...servers.values()].map((server) => server.stderr() + server.stdout()).join('');
const lines = (name: string) => servers.get(name)!.stderr().split('\n').filter(Boolean).map((text) => JSON.parse(text) as Record<string, unknown>);

test('no log of a whole rain, with all that may go wrong in it, holds an amount, a token or a secret; what went wrong is named by its packet', async () => {
  const port = await eventually(() => /"port":(\d+),"msg":"gateway open"/.exec(said())?.[1] ?? false, { timeoutMs: 30_000 });
  const page = await eventually(() => /"url":"(http:\/\/127\.0\.0\.1:\d+)","msg":"console open"/.exec(servers.get('console')!.stderr())?.[1] ?? false, { timeoutMs: 30_000 });
  await eventually(() => said().includes('worker open'), { timeoutMs: 30_000 });
  expect(await rain(['create', '--id', 'l1', '--budget', BUDGET, '--packets', '5', '--split', 'even', '--start', '+2s', '--duration', '300s', '--load'], env)).toMatchObject({ exit: 0 });
  const tokens = await Promise.all(['ann', 'bob'].map((name) => tokenFor(name)));
  const [ann, bob] = await Promise.all(['ann', 'bob'].map((name) => dial(`ws://127.0.0.1:${port}/v1`, name)));

  let wonBy: string[] = [];
  const play = async (client: NonNullable<typeof ann>) => {
    client.say({ type: 'join', rainId: 'l1' });
    const { ticket } = await client.next('ticket') as { ticket: string };
    tokens.push(ticket);
    await eventually(async () => {
      client.say({ type: 'grab', rainId: 'l1', ticket });
      const result = await client.next('result');
      expect(['0', '1']).toContain(result.code);
      wonBy.push(String(result.redPacketId));
    }, { everyMs: 250 });
  };
  // A database that is away, so that attempts fail, and entries that no book takes.
  line.refuse();
  await play(ann!);
  await eventually(() => expect(lines('worker').some(({ msg }) => msg === 'crediting failed, will try again')).toBe(true));
  line.pass();
  await play(bob!);
  await desk.redis.lpush(shardKeys('l1', 0).claims, JSON.stringify({ rainId: 'another', redPacketId: 'alien-7', amount: SPOILED, userId: 'eve', at: '1700000000000' }), `{"amount":"${SPOILED}"`);
  ann!.say({ type: 'grab', rainId: 'l1', ticket: 'not.a.ticket' });
  const guest = await fetch(`${page}/api/guest`, { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' });
  expect(guest.status).toBe(200);
  tokens.push((await guest.json() as { token: string }).token);
  await eventually(() => expect(lines('worker').some(({ msg }) => String(msg).startsWith('claims given up'))).toBe(true), { timeoutMs: 30_000 });
  await Promise.all([ann, bob].map((client) => client!.leave()));
  for (const { child } of servers.values()) child.kill('SIGTERM');
  await Promise.all([...servers.values()].map(({ done }) => done));

  wonBy = [...new Set(wonBy)];
  const named = lines('worker').flatMap(({ redPacketIds }) => (redPacketIds ?? []) as string[]);
  expect(named).toEqual(expect.arrayContaining(['alien-7', wonBy[0]]));
  const password = new URL(desk.databaseUrl).password;
  for (const secret of [BUDGET!, AMOUNT!, SPOILED!, '173511', '867555', SECRET, TICKET_SECRET, ...tokens, ...tokens.map((token) => token.split('.').at(-1)!), ...(password ? [`:${password}@`] : [])]) {
    expect(said().split('\n').filter((text) => text.includes(secret)), secret).toEqual([]);
  }
  expect(said()).not.toMatch(/eyJ[\w-]{10}/);
}, 120_000);
