import { expect, test } from 'vitest';
import type { Costs } from '../../src/preflight/costs.ts';
import { checkFit, worst } from '../../src/preflight/fit.ts';

const costs: Costs = {
  cores: 4,
  freeMemoryBytes: 8 * 1024 ** 3,
  openFilesMax: 20_000,
  handshakeUs: 200,
  socketBytes: 10_000,
  losing: { gatewayUs: 30, redisUs: 0 },
  winning: { gatewayUs: 45, redisUs: 15 },
  preallocatedPerSecond: 200_000,
  packetBytes: 60,
  creditedPerSecond: 5_000,
};
const verdicts = (users: number, packets: number, changed: Partial<Costs> = {}) =>
  Object.fromEntries(
    checkFit({ ...costs, ...changed }, { users, packets }).map(({ name, verdict }) => [name, verdict]),
  );

test('a plan that fits gets the verdict "fits" with its values', () => {
  const fits = checkFit(costs, { users: 50_000, packets: 10_000 });
  expect(worst(fits)).toBe('fits');
  // 40,000 × 30 µs + 10,000 × 60 µs on four cores; 50,000 × 200 µs likewise; 50,000 sockets, 10,000 packets and as many
  // claims.
  expect(fits.map(({ planned }) => planned)).toEqual([
    '0.5 s on 4 cores',
    '2.5 s on 4 cores',
    '482.6 MiB',
    '50.0 ms',
    '2.0 s',
    'rain gateway --processes 3, 17,167 each',
  ]);
  expect(fits.every(({ advice }) => advice === undefined)).toBe(true);
});

test('each check can fail, and then gives advice', () => {
  expect(verdicts(1_000_000, 1_000)).toMatchObject({
    'answer all users who tap in one second': 'too much',
    'connect all users': 'fits',
  });
  expect(verdicts(50_000, 10_000, { handshakeUs: 40_000 })).toMatchObject({ 'connect all users': 'too much' });
  expect(verdicts(50_000, 10_000, { freeMemoryBytes: 512 * 1024 ** 2 })).toMatchObject({
    'memory for sockets and packets': 'too much',
  });
  expect(verdicts(50_000, 10_000, { preallocatedPerSecond: 10 })).toMatchObject({
    'preallocate the packets': 'too much',
  });
  expect(verdicts(50_000, 50_000, { creditedPerSecond: 50 })).toMatchObject({ 'credit the winners': 'too much' });
  expect(verdicts(50_000, 10_000, { openFilesMax: 1_024 })).toMatchObject({ 'open files': 'too much' });
  const { openFilesMax: _, ...untold } = costs;
  expect(checkFit(untold, { users: 1, packets: 1 }).at(-1)).toMatchObject({
    verdict: 'tight',
    advice: expect.stringContaining('ulimit'),
  });
  for (const fit of checkFit(costs, { users: 1_000_000, packets: 1_000_000 }))
    expect(fit.advice !== undefined).toBe(fit.verdict !== 'fits');
});

test('Redis decides on one core, however many there are', () => {
  const many = { ...costs, cores: 64, winning: { gatewayUs: 1, redisUs: 15 } };
  expect(checkFit(many, { users: 200_000, packets: 200_000 })[0]).toMatchObject({
    planned: '3.0 s on 64 cores',
    verdict: 'tight',
  });
});

test('no more users win than there are packets, and no more packets are won than there are users', () => {
  expect(checkFit(costs, { users: 10, packets: 1_000_000 })[4]!.planned).toBe('2.0 ms');
});
