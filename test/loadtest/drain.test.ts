import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { onTestFinished, expect, test } from 'vitest';
import { WebSocketServer } from 'ws';
import { SUBPROTOCOL } from '../../src/protocol/constants.ts';
import type { ServerMessage } from '../../src/protocol/messages.ts';
import { runWave } from '../../src/loadtest/wave.ts';
import { tokenFor } from '../support/client.ts';

/** Says these to whoever comes for the n-th time; with `hangUp` it closes as a gateway that restarts. */
async function gatewayOf(
  dialogue: { says: ServerMessage[]; hangUp: boolean; toJoins?: ServerMessage[] }[],
): Promise<{ url: string; comes: number[]; joins: number[] }> {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1', handleProtocols: () => SUBPROTOCOL });
  onTestFinished(() => {
    for (const client of server.clients) client.terminate();
    server.close();
  });
  await once(server, 'listening');
  const comes: number[] = [];
  const joins: number[] = [];
  server.on('connection', (socket) => {
    const { says, hangUp, toJoins = [] } = dialogue[comes.push(performance.now()) - 1]!;
    socket.on('message', (data) => {
      if ((JSON.parse(String(data)) as { type: string }).type !== 'join') return;
      const answer = toJoins[joins.push(performance.now()) - 1];
      if (answer) socket.send(JSON.stringify(answer));
    });
    for (const message of says) socket.send(JSON.stringify(message));
    if (hangUp) socket.close(1012);
  });
  return { url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}`, comes, joins };
}

/** When a bot would come back that was not asked to: much later than any of those here, however busy the machine. */
const OWN_PATIENCE_MS = 20_000;

const welcome: ServerMessage = {
  type: 'welcome',
  userId: 'u',
  serverTime: Date.now(),
  rains: [],
  limits: { messageBytesMax: 4_096, heartbeatMs: 25_000 },
};
const goodbye = (reconnectInMs: number): ServerMessage => ({
  type: 'goodbye',
  reason: 'service_restart',
  reconnectInMs,
});
const ended: ServerMessage = { type: 'result', rainId: 'r1', code: '-8', reason: 'no_such_rain' };

test('a bot reconnects at the requested time, without its own backoff and without the throttle', async () => {
  const gateway = await gatewayOf([
    { says: [welcome, goodbye(600)], hangUp: true },
    { says: [goodbye(300)], hangUp: true },
    { says: [welcome, ended], hangUp: false },
  ]);
  const report = await runWave({
    url: gateway.url,
    rainId: 'r1',
    users: 1,
    tokenFor,
    seed: '1057'.repeat(16),
    connectsPerSecond: 1,
    retryPolicy: { backoffMsMin: OWN_PATIENCE_MS, backoffMsMax: OWN_PATIENCE_MS },
  });
  const [first, second, third] = gateway.comes as [number, number, number];
  expect(second - first).toBeGreaterThan(590);
  expect(second - first).toBeLessThan(OWN_PATIENCE_MS);
  expect(third - second).toBeGreaterThan(290);
  expect(third - second).toBeLessThan(OWN_PATIENCE_MS);
  expect(report).toMatchObject({ outcomes: [{ name: 'no_such_rain', count: 1 }], dials: 3 });
});

test('an invalid goodbye is ignored: the bot uses its own backoff', async () => {
  const gateway = await gatewayOf([
    { says: [welcome, goodbye(1e12)], hangUp: true },
    { says: [welcome, ended], hangUp: false },
  ]);
  const report = await runWave({
    url: gateway.url,
    rainId: 'r1',
    users: 1,
    tokenFor,
    seed: '1057'.repeat(16),
    connectsPerSecond: 100,
    retryPolicy: { backoffMsMin: 50, backoffMsMax: 100 },
  });
  expect(gateway.comes[1]! - gateway.comes[0]!).toBeLessThan(20_000);
  expect(report).toMatchObject({ outcomes: [{ name: 'no_such_rain', count: 1 }], misunderstood: 1 });
});

test('a bot whose join is postponed joins again at the requested time', async () => {
  const busy = (retryInMs: number): ServerMessage => ({
    type: 'result',
    rainId: 'r1',
    code: '-7',
    reason: 'busy',
    retryInMs,
  });
  const gateway = await gatewayOf([{ says: [welcome], hangUp: false, toJoins: [busy(400), busy(200), ended] }]);
  const report = await runWave({
    url: gateway.url,
    rainId: 'r1',
    users: 1,
    tokenFor,
    seed: '1057'.repeat(16),
    connectsPerSecond: 10,
    retryPolicy: { backoffMsMin: OWN_PATIENCE_MS, backoffMsMax: OWN_PATIENCE_MS },
  });
  const [first, second, third] = gateway.joins as [number, number, number];
  expect(second - first).toBeGreaterThan(390);
  expect(third - second).toBeGreaterThan(190);
  expect(third - first).toBeLessThan(OWN_PATIENCE_MS);
  expect(report).toMatchObject({ outcomes: [{ name: 'no_such_rain', count: 1 }], dials: 1 });
});
