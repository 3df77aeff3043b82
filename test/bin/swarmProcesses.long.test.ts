import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { rain } from '../support/call.ts';
import { SECRET } from '../support/client.ts';
import { openGateway } from '../support/servers/gateway.ts';
import { openRedis, stockRain } from '../support/rain.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';

const { server, redis } = await openRedis();
// A short ban: the test waits for the last answer of a user who was banned.
const gateway = await openGateway(server.url, { limits: { bannedMs: 1_000 } });
afterAll(() => gateway.close());

test('rain swarm runs an arrival shape in several processes, with all kinds of users, and prints a report', async () => {
  await stockRain(redis, { rainId: 'storm', amounts: Array.from({ length: 10 }, () => '0.50') });
  const page = join(temporaryFolder(), 'storm.html');
  const { exit, stdout } = await rain(
    [
      'swarm',
      '--url',
      gateway.url,
      '--rain',
      'storm',
      '--users',
      '40',
      '--processes',
      '2',
      '--connects',
      '200',
      '--rate',
      '100',
      '--shape',
      'wave',
      '--flaky',
      '0.1',
      '--slow',
      '5%',
      '--cheaters',
      '5%',
      '--credit-wait',
      '0ms',
      '--report',
      page,
      '--json',
    ],
    { JWT_SECRET: SECRET },
  );
  expect(exit).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({
    balanced: true,
    users: 38,
    processes: 2,
    winners: 10,
    arrivals: { shape: 'wave', perSecond: 100 },
    trouble: { flaky: 0.1, slow: 0.05 },
    cheaters: { users: 2, wonTwice: 0 },
  });
  expect(readFileSync(page, 'utf8')).toContain('The money adds up: 10 winners were told 5.00');
});

test.each([
  ['--slow', '1.5'],
  ['--shape', 'flood'],
  ['--rate', '0'],
  ['--processes', '65'],
  ['--report', '/no/such/folder/storm.html'],
])('[R12] rain swarm %s %s is refused, naming the option', async (option, value) => {
  const { exit, stderr } = await rain(['swarm', '--url', gateway.url, '--rain', 'storm', option, value], {
    JWT_SECRET: SECRET,
  });
  expect(exit).toBe(2);
  expect(stderr).toContain(option);
});
