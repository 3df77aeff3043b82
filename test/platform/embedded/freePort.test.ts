import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { freePort, isPortFree } from '../../../src/platform/embedded/freePort.ts';

const held: { close: () => unknown }[] = [];
afterEach(() => {
  for (const server of held.splice(0)) server.close();
});

async function hold(port: number): Promise<void> {
  const server = createServer().listen(port, '127.0.0.1');
  await once(server, 'listening');
  held.push(server);
}

/** Draws these, one after the other. */
function draws(...ports: number[]) {
  let i = 0;
  return () => ports[i++ % ports.length]!;
}

test('a free port is none that the system gives to a connection by itself, so that it stays free until it is wanted', async () => {
  const [systemsFirst] = readFileSync('/proc/sys/net/ipv4/ip_local_port_range', 'utf8').split(/\s/).map(Number);
  const ports = await Promise.all(Array.from({ length: 50 }, () => freePort()));
  for (const port of ports) {
    expect(port).toBeGreaterThan(1_024);
    expect(port).toBeLessThan(systemsFirst!);
  }
  expect(new Set(ports).size, 'two who ask at once should not get the same').toBeGreaterThan(45);
});

test('one that is taken is passed over', async () => {
  const [taken, free] = [await freePort(), await freePort()];
  await hold(taken);
  expect([await isPortFree(taken), await freePort(draws(taken, taken, free))]).toEqual([false, free]);
});

test('if all drawn ports are taken, the system chooses one', async () => {
  const taken = await freePort();
  await hold(taken);
  const port = await freePort(draws(taken));
  expect(port).not.toBe(taken);
  expect(await isPortFree(port)).toBe(true);
});
