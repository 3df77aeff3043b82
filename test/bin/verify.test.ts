import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createGrabEngine } from '../../src/grab/engine.ts';
import { findRain } from '../../src/store/rains.ts';
import { closeRain } from '../../src/operator/transitions.ts';
import { commitmentOf } from '../../src/rain/commitment.ts';
import { startRain } from '../../src/operator/schedule.ts';
import { settleRain } from '../../src/operator/settle.ts';
import { rain } from '../support/call.ts';
import { claimLog, openTestContext, type TestContext } from '../support/operatorContext.ts';

const SEED = 'ab'.repeat(32);
const PLAN = { budget: '5.00', packets: 5, split: { method: 'double-mean' } };

let context: TestContext;
let env: Record<string, string>;
let folder: string;
beforeAll(async () => {
  context = await openTestContext();
  env = { REDIS_URL: context.redisUrl, DATABASE_URL: context.databaseUrl };
  folder = mkdtempSync(join(tmpdir(), 'rain-test-verify-'));
});
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await context.stop();
});

function file(name: string, ...contents: unknown[]): string {
  const path = join(folder, name);
  writeFileSync(
    path,
    contents.map((content) => (typeof content === 'string' ? content : JSON.stringify(content))).join('\n'),
  );
  return path;
}

const json = (text: string) => JSON.parse(text) as Record<string, unknown>;
const create = (id: string, ...more: string[]) =>
  rain(
    [
      'create',
      '--id',
      id,
      '--budget',
      '5.00',
      '--packets',
      '5',
      '--start',
      '+1s',
      '--duration',
      '1h',
      '--seed',
      SEED,
      '--load',
      ...more,
    ],
    env,
  );

async function settled(id: string): Promise<void> {
  await startRain(context, id);
  await createGrabEngine(context.redis, (fault) => {
    throw fault;
  }).grab(id, 0, ['ann', 'bob']);
  await closeRain(context, id);
  await context.ledger.credit(await claimLog(context, id));
  expect(await settleRain(context, id, (await findRain(context.redis, id))!)).toEqual({ outcome: 'settled' });
}

describe('rain create and rain show', () => {
  test('print the commitment on stderr and only the id on stdout; the seed is shown after the settlement', async () => {
    const commitment = commitmentOf({ rainId: 'shown', seed: SEED, plan: PLAN, shards: 1 });
    const created = await create('shown');
    expect(created).toMatchObject({ exit: 0, stdout: 'shown\n' });
    expect(created.stderr).toContain(`commitment ${commitment}\n`);
    expect(json((await create('shown2', '--json')).stdout)).toMatchObject({
      rainId: 'shown2',
      commitment: commitmentOf({ rainId: 'shown2', seed: SEED, plan: PLAN, shards: 1 }),
    });
    const before = await rain(['show', 'shown'], env);
    expect(before.stdout).toMatch(new RegExp(`commitment +${commitment}\n`));
    expect(created.stderr + before.stdout + before.stderr).not.toContain(SEED);
    expect(await rain(['verify', 'shown'], env)).toMatchObject({
      exit: 1,
      stdout: '',
      stderr: `rain: id: the rain shown is not settled: its seed is secret until then; its commitment is ${commitment}\n`,
    });
    await settled('shown');
    expect((await rain(['show', 'shown'], env)).stdout).toMatch(new RegExp(`seed +${SEED}\n?`));
  });
});

describe('rain verify', () => {
  let receipts: { rainId: string; redPacketId: string; amount: string }[];
  beforeAll(async () => {
    await create('fair');
    await settled('fair');
    receipts = await claimLog(context, 'fair');
  });

  test('of an honest rain exits 0, for people and for machines, and its JSON is a proof for --offline', async () => {
    const run = await rain(['verify', 'fair'], env);
    expect(run).toMatchObject({ exit: 0, stderr: '' });
    expect(run.stdout).toMatch(
      /checked: 3 packets left, 2 claims, 2 credits, 0 receipts\nAll 5 packets match the commitment from before the rain\.\n$/,
    );
    const answer = await rain(['verify', 'fair', '--json', '--receipt', file('receipts.json', receipts)], env);
    expect(json(answer.stdout)).toMatchObject({
      fair: true,
      rainId: 'fair',
      seed: SEED,
      plan: PLAN,
      shards: 1,
      packets: 5,
      checked: { claims: 2, credits: 2, receipts: 2 },
      problems: [],
    });
    // No server is asked.
    const offline = await rain(['verify', '--offline', file('proof.json', { ...json(answer.stdout), receipts })]);
    expect(offline).toMatchObject({ exit: 0, stderr: '' });
    expect(offline.stdout).toMatch(/2 receipts\nAll 5 packets/);
  });

  test('takes receipts as one object, as a list, one a line, or from stdin', async () => {
    const told = receipts.map((receipt) => ({ type: 'credited', ...receipt }));
    for (const path of [file('one.json', told[0]), file('list.json', told), file('lines.json', ...told)]) {
      expect(await rain(['verify', 'fair', '--receipt', path], env)).toMatchObject({ exit: 0, stderr: '' });
    }
    expect(await rain(['verify', 'fair', '--receipt', '-'], env, JSON.stringify(told))).toMatchObject({
      exit: 0,
      stderr: '',
    });
    // An empty stdin holds no receipt.
    expect(await rain(['verify', 'fair', '--receipt', '-'], env)).toMatchObject({
      exit: 2,
      stderr: expect.stringContaining('--receipt: no receipt in -') as string,
    });
  });

  test('exits 1 on a receipt that does not hold and names it', async () => {
    const wrong = { ...receipts[0]!, amount: '4.99' };
    const run = await rain(['verify', 'fair', '--receipt', file('wrong.json', wrong)], env);
    expect(run.exit).toBe(1);
    expect(run.stdout).toMatch(
      /NOT EVERYTHING MATCHES THE COMMITMENT\.\nthe receipt for fair-0 says 4\.99, promised was \d\.\d\d\n$/,
    );
    const proof = {
      rainId: 'fair',
      commitment: commitmentOf({ rainId: 'fair', seed: SEED, plan: PLAN, shards: 1 }),
      seed: SEED,
      plan: PLAN,
    };
    expect((await rain(['verify', '--offline', file('p1.json', { ...proof, receipts: [wrong] })])).exit).toBe(1);
    const exchanged = await rain([
      'verify',
      '--json',
      '--offline',
      file('p2.json', { ...proof, seed: 'cd'.repeat(32) }),
    ]);
    expect(exchanged.exit).toBe(1);
    expect(json(exchanged.stdout)).toMatchObject({
      fair: false,
      rainId: 'fair',
      packets: 0,
      problems: [expect.stringContaining('hash to') as string],
    });
  });

  test.each<[string, () => string[], number, RegExp]>([
    ['neither a rain nor a file', () => [], 2, /an id or --offline FILE/],
    ['both', () => ['fair', '--offline', file('x.json', {})], 2, /an id or --offline FILE/],
    ['a rain nobody knows', () => ['nowhere'], 1, /id: there is no rain nowhere/],
    [
      'a receipt that is not there',
      () => ['fair', '--receipt', join(folder, 'nothing')],
      2,
      /--receipt: .*nothing cannot be read/,
    ],
    [
      'a receipt that is not JSON',
      () => ['fair', '--receipt', file('r1', 'hello')],
      2,
      /--receipt: \S+\/r1 is not JSON$/m,
    ],
    [
      'one line that is not JSON',
      () => ['fair', '--receipt', file('r1b', receipts[0], '', 'hello')],
      2,
      /--receipt: \S+\/r1b: line 3 is not JSON$/m,
    ],
    [
      'a receipt without an amount',
      () => ['fair', '--receipt', file('r2', { rainId: 'fair', redPacketId: 'fair-0' })],
      2,
      /--receipt: \S+\/r2: amount: missing, expected a positive amount such as "12\.21"$/m,
    ],
    [
      'a receipt whose amount is a number',
      () => ['fair', '--receipt', file('r2b', { ...receipts[0], amount: 12.21 })],
      2,
      /--receipt: \S+\/r2b: amount: a number, expected a positive amount such as "12\.21"$/m,
    ],
    [
      'the second of a list',
      () => ['fair', '--receipt', file('r2c', [receipts[0], { ...receipts[1], redPacketId: '' }])],
      2,
      /--receipt: \S+\/r2c: entry 2: redPacketId: expected 1 to 128 printable characters$/m,
    ],
    [
      'the third line',
      () => ['fair', '--receipt', file('r2d', receipts[0], '', { ...receipts[1], rainId: null })],
      2,
      /--receipt: \S+\/r2d: line 3: rainId: null, expected 1 to 64 letters, digits, _ or -, and of a campaign its round, such as \.3, as a string$/m,
    ],
    [
      'a word where a receipt should be',
      () => ['fair', '--receipt', file('r2e', '"won"')],
      2,
      /--receipt: \S+\/r2e: a string, expected \{"rainId","redPacketId","amount"\}$/m,
    ],
    [
      'a proof without a seed',
      () => ['--offline', file('r3', { rainId: 'fair', commitment: '0'.repeat(64), plan: PLAN })],
      2,
      /--offline: \S+\/r3: seed: missing, expected a seed of 64 hex digits \(32 random bytes\)$/m,
    ],
    [
      'a proof whose seed is a number',
      () => ['--offline', file('r3b', { rainId: 'fair', commitment: '0'.repeat(64), seed: 7, plan: PLAN })],
      2,
      /--offline: \S+\/r3b: seed: a number, expected a seed of 64 hex digits/,
    ],
    [
      'a proof without a plan',
      () => ['--offline', file('r3c', { rainId: 'fair', commitment: '0'.repeat(64), seed: SEED })],
      2,
      /--offline: \S+\/r3c: plan: missing, expected the plan/,
    ],
    [
      'a proof of no shards',
      () => [
        '--offline',
        file('r3d', { rainId: 'fair', commitment: '0'.repeat(64), seed: SEED, plan: PLAN, shards: 0 }),
      ],
      2,
      /--offline: \S+\/r3d: shards: expected a whole number from 1$/m,
    ],
    [
      'a proof whose receipts are none',
      () => [
        '--offline',
        file('r3e', {
          rainId: 'fair',
          commitment: '0'.repeat(64),
          seed: SEED,
          plan: PLAN,
          receipts: [{ ...receipts[0], amount: 'x' }],
        }),
      ],
      2,
      /--offline: \S+\/r3e: receipts\.0\.amount: expected a positive amount such as "12\.21"$/m,
    ],
    [
      'a proof whose commitment is none',
      () => ['--offline', file('r4', { rainId: 'fair', commitment: 'x', seed: SEED, plan: PLAN })],
      2,
      /--offline: \S+\/r4: commitment: expected a commitment of 64 hex digits \(SHA-256\)$/m,
    ],
    [
      'a list where a proof should be',
      () => ['--offline', file('r5', [])],
      2,
      /--offline: \S+\/r5: a list, expected \{"rainId","commitment","seed","plan","shards","receipts"\}$/m,
    ],
  ])('[R12] %s is refused with a sentence', async (_, args, exit, sentence) => {
    const run = await rain(['verify', ...args()], env);
    expect(run.stderr).toMatch(sentence);
    expect(run.stderr).not.toMatch(/\n {4}at /);
    expect(run.exit).toBe(exit);
  });
});
