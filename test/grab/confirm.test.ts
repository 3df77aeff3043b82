import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { confirmedEngine, createConfirm, type Confirm } from '../../src/grab/confirm.ts';
import { createGrabEngine, type GrabEngine } from '../../src/grab/engine.ts';
import { shardKeys } from '../../src/store/keys.ts';
import type { RedisClient } from '../../src/platform/redis/connect.ts';
import { eventually } from '../support/eventually.ts';
import { connect, stockRain } from '../support/rain.ts';
import { startPair, type TestPair } from '../support/servers/replica.ts';
import { genuine } from '../support/signer.ts';

const WAIT_MS = 150;
/** Long enough for a slow machine, short enough for a test. */
const PATIENT_MS = 1_500;
/** For a replica that answers: the test does not depend on how soon. */
const HEALTHY_MS = 15_000;

let pair: TestPair;
let grabs: RedisClient;
let connections: RedisClient[];
let faults: unknown[];
let confirm: Confirm;
let bare: GrabEngine;
let engine: GrabEngine;
let patient: GrabEngine;
let healthy: GrabEngine;

beforeAll(async () => {
  pair = await startPair();
  grabs = await connect(pair.master.url);
  connections = await Promise.all([0, 1, 2, 3].map(() => connect(pair.master.url)));
});
afterAll(async () => {
  for (const connection of [grabs, ...connections]) connection.disconnect();
  await pair.stop();
});
beforeEach(async () => {
  faults = [];
  const onFault = (error: unknown) => faults.push(error);
  confirm = createConfirm({ connections, replicas: 1, waitMs: WAIT_MS, onFault });
  bare = createGrabEngine(grabs, onFault);
  engine = confirmedEngine(bare, confirm);
  patient = confirmedEngine(bare, createConfirm({ connections, replicas: 1, waitMs: PATIENT_MS, onFault }));
  healthy = confirmedEngine(bare, createConfirm({ connections, replicas: 1, waitMs: HEALTHY_MS, onFault }));
  pair.link.pass();
  await eventually(async () => (await grabs.wait(1, 500)) === 1, { timeoutMs: 20_000 });
});

const grab = (rainId: string, ...users: string[]) => engine.grab(rainId, 0, users);

describe('a win is sent once replicas have it', () => {
  test('with a healthy replica a batch is answered as usual', async () => {
    await stockRain(grabs, { rainId: 'well', amounts: ['7.10'] });
    expect(await healthy.grab('well', 0, ['ann', 'bob'])).toEqual([
      genuine('0', 'well', 'well-0', '7.10'),
      { code: '-1' },
    ]);
    expect(await healthy.grab('well', 0, ['ann'])).toEqual([genuine('1', 'well', 'well-0', '7.10')]);
    expect(faults).toEqual([]);
  });

  test('[R4] a stalled replica: "busy" twice, and the win when it is back; losers do not wait for it', async () => {
    await stockRain(grabs, { rainId: 'stalled', amounts: ['7.10'] });
    pair.link.blackhole();
    expect(await grab('stalled', 'ann', 'bob')).toEqual([{ code: '-7' }, { code: '-1' }]);
    expect(await grab('stalled', 'ann')).toEqual([{ code: '-7' }]);
    let told = false;
    const ann = patient.grab('stalled', 0, ['ann']).finally(() => {
      told = true;
    });
    expect(await patient.grab('stalled', 0, ['bob'])).toEqual([{ code: '-1' }]);
    expect(told).toBe(false);
    expect(await ann).toEqual([{ code: '-7' }]);
    pair.link.pass();
    await eventually(
      async () => expect(await grab('stalled', 'ann')).toEqual([genuine('1', 'stalled', 'stalled-0', '7.10')]),
      { timeoutMs: 20_000 },
    );
    expect(await grabs.llen(shardKeys('stalled', 0).claims)).toBe(1);
  });

  test('[R4] WAIT covers earlier writes of other connections: a win granted elsewhere is not sent either', async () => {
    await stockRain(grabs, { rainId: 'elsewhere', amounts: ['7.10'] });
    pair.link.blackhole();
    // Another gateway granted the win and lost its connection before the confirmation; here nothing is written at all.
    expect(await bare.grab('elsewhere', 0, ['ann'])).toMatchObject([{ code: '0' }]);
    expect(await confirm('elsewhere', 0, [{ userId: 'ann', redPacketId: 'elsewhere-0' }])).toEqual([false]);
    expect(await grab('elsewhere', 'ann')).toEqual([{ code: '-7' }]);
  });

  test('a server that does not have the win confirms nothing, whatever its replicas acknowledge', async () => {
    await stockRain(grabs, { rainId: 'amnesia', amounts: ['7.10', '8.10'] });
    await bare.grab('amnesia', 0, ['ann', 'bob']);
    await grabs.hdel(shardKeys('amnesia', 0).claimed, 'ann');
    expect(
      await confirm('amnesia', 0, [
        { userId: 'ann', redPacketId: 'amnesia-0' },
        { userId: 'bob', redPacketId: 'amnesia-1' },
        { userId: 'bob', redPacketId: 'amnesia-0' },
      ]),
    ).toEqual([false, true, false]);
  });

  test('[R10] while the replica is stalled everybody is answered in bounded time, and no request is left waiting afterwards', async () => {
    await stockRain(grabs, { rainId: 'crowd', amounts: Array.from({ length: 400 }, () => '0.01') });
    pair.link.blackhole();
    const waits = connections.map((connection) => vi.spyOn(connection, 'wait'));
    const rounds = await Promise.all(
      Array.from({ length: 200 }, (_, i) => grab('crowd', `u${2 * i}`, `u${2 * i + 1}`)),
    );
    const asked = waits.flatMap((wait) => wait.mock.calls);
    for (const wait of waits) wait.mockRestore();
    // Two rounds, or a few more if the grabs arrive slowly; in sequence on four connections they would have taken
    // fifty.
    expect(asked.length).toBeLessThanOrEqual(8 * connections.length);
    expect(new Set(asked.map(String))).toEqual(new Set([`1,${WAIT_MS}`]));
    expect(new Set(rounds.flat().map(({ code }) => code))).toEqual(new Set(['-7']));
    expect(faults).toEqual([]);
    pair.link.pass();
    await eventually(async () => expect(await grab('crowd', 'u0')).toMatchObject([{ code: '1' }]), {
      timeoutMs: 20_000,
    });
    const again = await Promise.all(Array.from({ length: 200 }, (_, i) => grab('crowd', `u${2 * i}`, `u${2 * i + 1}`)));
    expect(new Set(again.flat().map(({ code }) => code))).toEqual(new Set(['1']));
  });

  test('lost connections confirm nothing and report a fault', async () => {
    await stockRain(grabs, { rainId: 'gone', amounts: ['7.10'] });
    const dead = await connect(pair.master.url);
    dead.disconnect();
    const unheard: unknown[] = [];
    const none = createConfirm({
      connections: [dead],
      replicas: 1,
      waitMs: WAIT_MS,
      onFault: (error) => unheard.push(error),
    });
    expect(await confirmedEngine(bare, none).grab('gone', 0, ['ann'])).toEqual([{ code: '-7' }]);
    expect(unheard).toHaveLength(1);
  });
});
