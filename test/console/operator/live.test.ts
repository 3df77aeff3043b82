import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { liveSample } from '../../../src/console/contract/live.ts';
import { Rates } from '../../../src/console/live/rates.ts';
import { createGrabEngine } from '../../../src/grab/engine.ts';
import type { GatewayHeartbeat } from '../../../src/store/gatewayHeartbeat.ts';
import { disableOperator } from '../../../src/operator/staff/staff.ts';
import { SECRET } from '../../support/client.ts';
import { eventually } from '../../support/eventually.ts';
import { openGateway } from '../../support/servers/gateway.ts';
import { addAccount, openTestConsole, type TestConsole, type Visitor } from '../../support/servers/testConsole.ts';
import { watchLive } from './watchLive.ts';

let testConsole: TestConsole;
let vera: Visitor;
beforeAll(async () => {
  testConsole = await openTestConsole();
  vera = await testConsole.signIn('vera');
});
afterAll(() => testConsole?.stop());

/** A browser that shows a rain live. */
const look = (rainId: string, cookie = vera.cookie, url = testConsole.url) =>
  watchLive(`${url}/api/console/rains/${rainId}/live`, cookie, liveSample);

describe('a live rain', () => {
  test('is sampled once a second and adds up: won, then credited, then nothing is pending', async () => {
    await testConsole.wonRain('live', 2);
    const viewer = await look('live');
    expect(viewer.answer.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    expect(viewer.answer.headers.get('cache-control')).toBe('no-store');
    expect(viewer.answer.headers.get('content-security-policy')).toContain("default-src 'none'");
    const won = await viewer.latest(({ equation }) => equation?.pending === '2.00');
    expect(won).toMatchObject({
      state: 'open',
      packets: 10,
      left: 8,
      wins: 2,
      credited: 0,
      equation: { budget: '10.00', credited: '0.00', unclaimed: '8.00', balanced: true },
    });
    expect(won.creditLagMs).toBeGreaterThan(0);
    await testConsole.credit();
    const credited = await viewer.latest(({ equation }) => equation?.credited === '2.00');
    expect(credited).toMatchObject({
      wins: 2,
      credited: 2,
      creditLagMs: 0,
      equation: { pending: '0.00', balanced: true },
    });
    const count = viewer.samples.length;
    await viewer.latest(() => viewer.samples.length > count + 2);
    await viewer.leave();
  });

  test('wins per second are those of the last second', async () => {
    await testConsole.wonRain('rate', 0);
    const viewer = await look('rate');
    await viewer.latest(({ winsPerSecond }) => winsPerSecond === 0);
    await createGrabEngine(testConsole.redis, (fault) => {
      throw fault;
    }).grab('rate', 0, ['a', 'b', 'c']);
    await eventually(() => viewer.samples.some(({ winsPerSecond }) => winsPerSecond > 0));
    expect(viewer.samples.at(-1)!.wins).toBe(3);
    await viewer.leave();
  });

  test('sockets and answers are summed over the gateways, and a closed gateway is no longer counted', async () => {
    await testConsole.wonRain('crowd', 0);
    const gateway = await openGateway(testConsole.redisUrl, { token: { secret: SECRET }, heartbeat: true });
    const viewer = await look('crowd');
    await viewer.latest(({ gateways }) => gateways === 1);
    expect((await vera.ask('GET', '/api/console/gateways')).body).toMatchObject({
      gateways: [{ address: gateway.url, sockets: 0, pressed: false, answers: { 0: 0 } }],
    });
    await gateway.close();
    await viewer.latest(({ gateways }) => gateways === 0);
    await viewer.leave();
  });

  test('two viewers share one sampler, and a later viewer gets a sample at once', async () => {
    await testConsole.wonRain('shared', 1);
    const first = await look('shared');
    await first.latest(() => first.samples.length >= 2);
    const second = await look('shared');
    await second.latest(() => second.samples.length >= 3);
    const shown = new Set(first.samples.map(({ at }) => at));
    expect(second.samples.slice(0, 2).every(({ at }) => shown.has(at))).toBe(true);
    await Promise.all([first.leave(), second.leave()]);
  });

  test('ends when the console closes, which does not wait for viewers', async () => {
    await testConsole.wonRain('closing', 0);
    const other = await testConsole.another({});
    const viewer = await look('closing', vera.cookie, other.url);
    await viewer.latest(() => true);
    await other.close();
    await eventually(() => viewer.isOver());
  });
});

describe('rates', () => {
  const told = (id: string, at: number, wins: number): GatewayHeartbeat => ({
    id,
    address: 'ws://x',
    version: '1',
    startedAt: 0,
    at,
    sockets: 1,
    screens: 0,
    grabsPending: 0,
    pressed: false,
    answers: { 0: wins, '-1': wins * 2 },
  });

  test("are differences by the gateways' own time; a new or restarted gateway has none yet", () => {
    const rates = new Rates();
    expect(rates.update([told('a', 1_000, 50)])).toEqual({ grabsPerSecond: 0, answersPerSecond: {} });
    expect(rates.update([told('a', 3_000, 70), told('b', 3_000, 900)])).toEqual({
      grabsPerSecond: 30,
      answersPerSecond: { 0: 10, '-1': 20 },
    });
    // a sends nothing new, so its rate stays. b counts from its second heartbeat.
    expect(rates.update([told('a', 3_000, 70), told('b', 4_000, 901)])).toEqual({
      grabsPerSecond: 33,
      answersPerSecond: { 0: 11, '-1': 22 },
    });
    expect(rates.update([told('b', 5_000, 0)])).toEqual({ grabsPerSecond: 0, answersPerSecond: { 0: 0, '-1': 0 } });
    expect(rates.update([])).toEqual({ grabsPerSecond: 0, answersPerSecond: {} });
  });
});

test("the stream ends when the viewer's login is no longer valid", async () => {
  await addAccount(testConsole, 'leaver', 'viewer');
  const leaver = await testConsole.signIn('leaver');
  await testConsole.wonRain('leaving', 0);
  const other = await testConsole.another({ pace: { recheckMs: 100 } });
  const viewer = await look('leaving', leaver.cookie, other.url);
  await viewer.latest(() => true);
  await disableOperator(testConsole, 'leaver');
  await eventually(() => viewer.isOver());
  await other.close();
});
