import { describe, expect, test } from 'vitest';
import type { SaleSwarmReport } from '../../src/loadtest/sale/report.ts';
import { rain } from '../support/call.ts';
import { SECRET } from '../support/client.ts';
import { freePort } from '../support/freePort.ts';
import { scriptedSale, type ScriptedSale } from '../support/servers/scriptedSale.ts';

const ITEMS = [
  { sku: 'tee', units: 10, price: '19.90' },
  { sku: 'mug', units: 5, price: '0.00' },
];
const SEED = '5eed'.repeat(16);

const swarm = (words: string[], env: Record<string, string> = {}) =>
  rain(['swarm', '--seed', SEED, ...words], { JWT_SECRET: SECRET, ...env });
const at = (sale: ScriptedSale, ...more: string[]) => [
  '--url',
  sale.url,
  '--sale',
  sale.saleId,
  '--users',
  '12',
  '--pay',
  '0%',
  '--cancel',
  '0%',
  ...more,
];
const reportOf = (stdout: string) => JSON.parse(stdout) as SaleSwarmReport & { balanced: boolean; sentence: string };

test('without the ledger the messages alone are checked; one that nobody asked for is told, and exit is 1', async () => {
  const honest = await scriptedSale({ items: ITEMS });
  expect(await swarm(at(honest))).toMatchObject({
    exit: 0,
    stdout: expect.stringMatching(
      /The sale adds up: \d+ buyers were told \d+ reservations; not compared with the ledger\.\n$/,
    ) as string,
  });
  const lying = await scriptedSale({
    items: ITEMS,
    onBuy: (_message, asked) => {
      if (asked === 5)
        for (const userId of ['bot-0', 'bot-1'])
          lying.order(userId, '1', {
            reservationId: 'autumn-900',
            sku: 'tee',
            quantity: 1,
            price: '19.90',
            status: 'created',
            payBy: Date.now() + 120_000,
          });
      return undefined;
    },
  });
  const run = await swarm(at(lying, '--json', '--pay', '100%'));
  expect(reportOf(run.stdout).sentence).toContain('The sale does NOT add up');
  // Two sockets: either may be read first.
  expect(reportOf(run.stdout).faultExamples).toContainEqual(
    expect.stringMatching(/^autumn-900 was told to bot-(0 and to bot-1|1 and to bot-0)$/),
  );
  expect(run.exit).toBe(1);
});

describe('[R12] a swarm that cannot buy reports it in one sentence', () => {
  test.each([
    [[], '--rain or --sale: expected one of the two'],
    [['--rain', 'a', '--sale', 'b'], '--rain or --sale: expected one of the two'],
    [['--rain', 'a', '--pay', '10%'], '--pay: only with --sale'],
    [['--rain', 'a', '--pay-url', 'http://127.0.0.1:1'], '--pay-url: only with --sale'],
    [['--sale', 'a', '--flaky', '10%'], '--flaky: only with --rain'],
    [['--sale', 'a', '--report', 'x.html'], '--report: only with --rain'],
    [['--sale', 'a', '--users', '18001'], '--users: expected at most 18000 with --sale, got 18001'],
    [
      ['--sale', 'a', '--pay', '80%', '--cancel', '30%'],
      '--pay and --cancel: expected a sum of at most 100%, got 110%',
    ],
    [['--sale', 'a', '--seed', 'xyz'], '--seed: expected 64 hex digits'],
    [['--sale', 'a', '--pay', '170%'], /--pay.*expected a share such as 0\.05 or 5%/],
    [['--sale', 'a', '--pay-url', 'shop'], /--pay-url.*expected http:\/\/… or https:\/\/…/],
  ] as const)('%j: bad usage, exit 2, naming the option', async (words, reason) => {
    const run = await swarm([...words]);
    expect(run.stderr).toMatch(reason);
    expect(run.exit).toBe(2);
  });

  test('without a gateway: exit 3; with an unknown sale: exit 1', async () => {
    const url = `ws://127.0.0.1:${await freePort()}/v1`;
    expect(await swarm(['--url', url, '--sale', 'any', '--users', '2'])).toMatchObject({
      exit: 3,
      stderr: expect.stringContaining(`rain: ${url}: the gateway cannot be reached: connect ECONNREFUSED`) as string,
    });
    const sale = await scriptedSale({ items: ITEMS });
    expect(await swarm(['--url', sale.url, '--sale', 'nope', '--users', '2'])).toMatchObject({
      exit: 1,
      stderr: expect.stringContaining('rain: --sale: the gateway does not know the sale nope') as string,
    });
    expect(sale.comes, 'one looks before the others connect').toHaveLength(1);
  });
});
