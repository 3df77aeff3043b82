import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { auditJson } from '../../src/bin/auditText.ts';
import { shardKeys } from '../../src/store/keys.ts';
import { findRain } from '../../src/store/rains.ts';
import { auditRain } from '../../src/operator/audit.ts';
import { listDeadLetters } from '../../src/operator/deadLetters/letters.ts';
import { settleRain } from '../../src/operator/settle.ts';
import { closeRain } from '../../src/operator/transitions.ts';
import { callCli, rain } from '../support/call.ts';
import { startCli } from '../support/cli.ts';
import { eventually } from '../support/eventually.ts';
import { openQueueContext, type TestQueueContext } from '../support/queueContext.ts';

let context: TestQueueContext;
let env: Record<string, string>;
beforeAll(async () => {
  context = await openQueueContext();
  env = { REDIS_URL: context.redisUrl, DATABASE_URL: context.databaseUrl };
});
beforeEach(() => {
  context.barred.clear();
});
afterAll(() => context?.stop());

const LATER = '1999999999999';
const json = <T>(text: string): T => JSON.parse(text) as T;
const letterOf = async (rainId: string): Promise<string> =>
  (await listDeadLetters(context, { rainId, skip: 0, limit: 1 })).letters[0]!.letter;

/** `user-1` of two winners is refused. */
async function refusedRain(id: string): Promise<string> {
  context.barred.add('user-1');
  await context.wonRain(id, 2);
  await context.credit();
  return letterOf(id);
}

describe('rain dead', () => {
  test('lists and shows, for people and for machines', async () => {
    const letter = await refusedRain('cli');
    const list = await rain(['dead', 'list'], env);
    expect(list.stdout).toMatch(
      new RegExp(`${letter} +refused +cli-1 +1\\.00 +user-1 +20.*\nrefused: The payout provider understood`, 's'),
    );
    expect(json((await rain(['dead', 'list', '--rain', 'cli', '--json'], env)).stdout)).toMatchObject({
      letters: [{ letter, rainId: 'cli', userId: 'user-1', amount: '1.00' }],
      total: 1,
      complete: true,
    });
    expect((await rain(['dead', 'show', letter], env)).stdout).toMatch(
      /rain +cli, shard 0, entry 1\nreason +refused: The payout provider.*\ndetail +the account is closed\npacket +cli-1\n/,
    );
  });

  test('[R14] a letter that no process of ours has signed is shown as such, and its advice is not', async () => {
    const letter = await refusedRain('forged');
    const { dead } = context.queues;
    const job = (await dead.getJob(letter))!;
    await dead.add('paid_not_booked', { ...job.data, reason: 'paid_not_booked' }, { jobId: 'forged-letter' });
    const list = (await rain(['dead', 'list', '--rain', 'forged'], env)).stdout;
    expect(list).toMatch(/forged-letter +paid_not_booked, not signed/);
    expect(list).not.toContain('The external wallet has paid it');
    expect(json((await rain(['dead', 'show', 'forged-letter', '--json'], env)).stdout)).toMatchObject({
      unsigned: true,
      text: expect.stringContaining('Do nothing that it says') as string,
    });
    await dead.remove('forged-letter');
  });

  test('lists nothing for a rain without dead letters, and lists those of a rain that the ledger does not know', async () => {
    await context.wonRain('blank', 1);
    expect(await rain(['dead', 'list', '--rain', 'blank'], env)).toEqual({
      exit: 0,
      stdout: 'no dead letters\n',
      stderr: '',
    });
    await context.queues.dead.add(
      'letter',
      { rainId: 'elsewhere', shard: 0, index: 0, entry: 'torn', reason: 'malformed', detail: 'not JSON' },
      { jobId: 'elsewhere-0-letter' },
    );
    expect(await rain(['dead', 'list', '--rain', 'elsewhere', '--json'], env)).toMatchObject({
      exit: 0,
      stdout: expect.stringContaining('"letter":"elsewhere-0-letter"') as string,
    });
    await context.queues.dead.remove('elsewhere-0-letter');
  });

  test('requeues and discards, and records the operator', async () => {
    const letter = await refusedRain('act');
    expect((await rain(['dead', 'requeue', '--rain', 'act'], env)).stdout).toBe('sent again: 1\n');
    await context.drained();
    expect(await rain(['dead', 'discard', letter, '--reason', 'the account is closed'], env)).toMatchObject({
      exit: 0,
      stdout: `${letter}: discarded, 1.00 went back\n`,
    });
    expect(json((await rain(['dead', 'discard', letter, '--reason', 'again', '--json'], env)).stdout)).toMatchObject({
      letter,
      outcome: 'already',
      reason: 'the account is closed',
    });
    expect(await rain(['dead', 'show', letter], env)).toMatchObject({
      exit: 1,
      stderr: expect.stringMatching(/was discarded by cli:\w+: the account is closed/) as string,
    });
    const actions = (await context.ledger.actions('act')).slice(2);
    expect(actions.map(({ verb }) => verb)).toEqual(['requeue', 'discard']);
    for (const { actor } of actions) expect(actor).toMatch(/^cli:/);
  });

  test.each<[string, string[], number, RegExp]>([
    ['a letter nobody knows', ['dead', 'show', 'nobody'], 1, /letter: there is no dead letter nobody/],
    ['requeueing it', ['dead', 'requeue', 'nobody'], 1, /letter: there is no dead letter nobody/],
    ['the letters of a rain nobody knows', ['dead', 'list', '--rain', 'typo'], 1, /--rain: there is no rain typo/],
    ['discarding it', ['dead', 'discard', 'nobody', '--reason', 'x'], 1, /letter: there is no dead letter nobody/],
    ['requeueing nothing', ['dead', 'requeue'], 2, /letter: expected a letter or --rain\n/],
    ['requeueing both', ['dead', 'requeue', 'x', '--rain', 'y'], 2, /letter: expected a letter or --rain, not both/],
    ['a discard without a reason', ['dead', 'discard', 'x'], 2, /required option '--reason/],
    ['a page too long', ['dead', 'list', '--limit', '1001'], 2, /expected a whole number from 1 to 1000/],
    ['an audit of nothing', ['audit'], 2, /id: missing/],
    ['an audit of one and of all', ['audit', 'x', '--all'], 2, /not both/],
    ['watching one', ['audit', 'x', '--watch'], 2, /--watch: only with --all/],
    ['watching a repair', ['audit', '--all', '--repair', '--watch'], 2, /--repair: not with --watch/],
    [
      'acknowledging for all',
      ['audit', '--all', '--acknowledge-lost', 'x'],
      2,
      /--acknowledge-lost: only for one rain/,
    ],
    ['repairing a rain nobody knows', ['audit', 'nowhere', '--repair'], 1, /id: there is no rain nowhere/],
  ])('[R12] %s: a coded refusal, and nothing is written', async (_, args, exit, sentence) => {
    // The queue's own bookkeeping comes and goes with its workers.
    const written = async () => [
      (await context.redis.keys('rain:*')).filter((key) => !/:(lease|auditor)$/.test(key)).sort(),
      await context.queues.dead.getJobCountByTypes('waiting', 'delayed'),
      (await context.ledger.discards('x')).length,
    ];
    const before = await written();
    const run = await rain(args, env);
    expect(run.stderr).toMatch(sentence);
    expect(run.stderr).not.toMatch(/\n {4}at /);
    expect(run.exit).toBe(exit);
    expect(await written()).toEqual(before);
  });
});

describe('rain audit', () => {
  test('exits 1 while a claim is told twice, though the money adds up, and 0 when it is discarded', async () => {
    await context.wonRain('promise', 1);
    await context.log('promise', {
      rainId: 'promise',
      redPacketId: 'promise-0',
      amount: '1.00',
      userId: 'late',
      at: LATER,
    });
    await context.credit();
    const open = await rain(['audit', 'promise'], env);
    expect(open.exit).toBe(1);
    expect(open.stdout).toMatch(
      /dead letters: 1, 1\.00\npromise-0 is told twice: 1\.00 to late, and it was paid to user-0; letter promise-0-1-/,
    );
    expect(open.stdout).toMatch(/credited +1\.00 +1\n/);
    expect(open.stdout).toMatch(/The money adds up: 10\.00 in 10 packets, 1 winners\.\nTOLD TWICE: 1\..*\n$/);
    expect(json((await rain(['audit', 'promise', '--json'], env)).stdout)).toMatchObject({
      balanced: true,
      told_twice: 1,
      promises: [{ redPacketId: 'promise-0', amount: '1.00', toldTo: 'late', paid: { userId: 'user-0' } }],
      queue: { dead: { count: 1, amount: '1.00' } },
    });
    await rain(['dead', 'discard', await letterOf('promise'), '--reason', 'voucher 123'], env);
    const closed = await rain(['audit', 'promise'], env);
    expect(closed.exit).toBe(0);
    expect(auditJson((await auditRain(context, 'promise'))!)).toMatchObject({
      told_twice: 0,
      discarded: 1,
      acknowledged: [{ reason: 'voucher 123', deadReason: 'told_twice' }],
    });
    expect(closed.stdout).toMatch(/discarded: promise-0-1-\w+, told_twice, no money, by cli:\w+: voucher 123\n/);
  });

  test('--repair sends the claims that the ledger lacks again, and audits after their credit', async () => {
    await context.wonRain('repair', 3);
    await context.redis.set(shardKeys('repair', 0).relayed, '3');
    const run = await rain(['audit', 'repair', '--repair', '--json'], env);
    expect(run.stderr).toMatch(/^repair: 3 claims were sent again\n(crediting \d+\/1 jobs\n)+$/);
    expect(json(run.stdout)).toMatchObject({
      repaired: 3,
      credited: '3.00',
      pending: '0.00',
      balanced: true,
      queue: { waiting: { jobs: 0, claims: 0 } },
    });
    expect(run.exit).toBe(0);
  });

  test('--acknowledge-lost discards what a failover has lost from the log', async () => {
    await context.wonRain('lost', 1);
    await context.credit();
    await context.redis.del(shardKeys('lost', 0).claims, shardKeys('lost', 0).claimed);
    expect((await rain(['audit', 'lost'], env)).exit).toBe(1);
    expect(await rain(['audit', 'lost', '--acknowledge-lost', 'failover'], env)).toMatchObject({
      exit: 0,
      stderr: 'lost: 1 lost claims were discarded\n',
    });
  });

  test('--all exits 1 while a dead letter waits, also one of a settled rain', async () => {
    for (const { letter } of (await listDeadLetters(context, { skip: 0, limit: 100 })).letters)
      await rain(['dead', 'discard', letter, '--reason', 'before'], env);
    const letter = await refusedRain('refused');
    const open = await rain(['audit', '--all'], env);
    expect(open).toMatchObject({
      exit: 1,
      stdout: expect.stringMatching(/^refused .* 1 DEAD LETTERS$/m) as string,
      stderr: '',
    });
    expect(json<object[]>((await rain(['audit', '--all', '--json'], env)).stdout)).toContainEqual(
      expect.objectContaining({ rainId: 'refused', balanced: true, dead_letters: 1 }),
    );
    await rain(['dead', 'discard', letter, '--reason', 'closed'], env);
    await closeRain(context, 'refused');
    expect(await settleRain(context, 'refused', (await findRain(context.redis, 'refused'))!)).toEqual({
      outcome: 'settled',
    });
    expect((await rain(['audit', '--all'], env)).exit).toBe(0);
    await context.queues.dead.add(
      'refused',
      { rainId: 'refused', shard: 0, index: 0, entry: 'torn', reason: 'refused', detail: '' },
      { jobId: 'refused-0-again' },
    );
    expect(await rain(['audit', '--all', '--limit', '100'], env)).toMatchObject({
      exit: 1,
      stdout: expect.stringMatching(/^refused .* 1 DEAD LETTERS$/m) as string,
    });
    await context.queues.dead.remove('refused-0-again');
  });

  test('--all --repair sends what is missing in each rain, and a dry run tells how much; one that cannot be read does not stop the others', async () => {
    await context.wonRain('mend-a', 2);
    await context.wonRain('mend-b', 3);
    await context.wonRain('mend-broken', 0);
    await context.redis.set(shardKeys('mend-broken', 0).claims, 'not a log');
    const trial = await rain(['audit', '--all', '--repair', '--dry-run', '--json'], env);
    expect(json<object[]>(trial.stdout)).toEqual(
      expect.arrayContaining([expect.objectContaining({ rainId: 'mend-a', repaired: 2, pending: '2.00' })]),
    );
    const run = await rain(['audit', '--all', '--repair', '--json'], env);
    expect(run.stderr).toMatch(/^mend-b: 3 claims were sent again$/m);
    expect(run.stderr).toMatch(/^mend-broken: not repaired: /m);
    expect(json<object[]>(run.stdout)).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ rainId: 'mend-a', repaired: 2, credited: '2.00', pending: '0.00' }),
        expect.objectContaining({ rainId: 'mend-b', repaired: 3, credited: '3.00' }),
        expect.objectContaining({ rainId: 'mend-broken', fault: expect.any(String) as string }),
      ]),
    );
    expect(run.exit).toBe(1);
    await context.redis.del(shardKeys('mend-broken', 0).claims);
  });

  test('--acknowledge-tampering marks as seen what somebody changed by hand', async () => {
    await context.wonRain('harm', 0);
    await context.redis.hset(shardKeys('harm', 0).state, 'opensAt', 1_700_000_000_000);
    const found = await rain(['audit', 'harm', '--json'], env);
    expect([found.exit, json(found.stdout)]).toMatchObject([
      1,
      {
        balanced: false,
        tampering: { window: 1 },
        problems: [expect.stringContaining('shard 0 opens at 2023-') as string],
      },
    ]);
    expect(await rain(['audit', 'harm', '--acknowledge-tampering', 'seen', '--dry-run'], env)).toMatchObject({
      exit: 1,
      stderr: 'harm: 1 findings would be acknowledged\n',
    });
    expect(await rain(['audit', 'harm', '--acknowledge-tampering', 'seen'], env)).toMatchObject({
      exit: 0,
      stderr: 'harm: 1 findings were acknowledged\n',
    });
    expect(await rain(['audit', '--all', '--acknowledge-tampering', 'seen'], env)).toMatchObject({
      exit: 2,
      stderr: expect.stringContaining('--acknowledge-tampering: only for one rain at a time') as string,
    });
  });

  test('--all is a line a rain and exits 1 when one does not add up; --watch goes on until it is ended', async () => {
    await context.wonRain('fine', 1);
    const fine = await rain(['audit', '--all'], env);
    expect(fine.stdout).toMatch(
      /^id +title +budget.*\nfine +Rain fine +10\.00 +0\.00 +1\.00 +9\.00 +0\.00 +0\.00 +adds up\n/,
    );
    expect(fine.exit).toBe(0);
    await context.wonRain('harmed', 1);
    await context.redis.rpop(shardKeys('harmed', 0).packets);
    const one = await rain(['audit', '--all', '--limit', '1'], env);
    expect(one.stdout.trim().split('\n')).toHaveLength(2);
    expect(one).toMatchObject({
      exit: 1,
      stderr: expect.stringMatching(/^\d+ older rains? (was|were) not audited; raise --limit\n$/) as string,
      stdout: expect.stringMatching(/harmed.*DOES NOT ADD UP/) as string,
    });
    const watch = startCli(['audit', '--all', '--watch', '--json'], env);
    await eventually(() => watch.stdout().trim().split('\n').length >= 2, { timeoutMs: 20_000 });
    watch.child.kill('SIGINT');
    const { exit, stdout, stderr } = await watch.done;
    expect([exit, stderr]).toEqual([1, '']);
    for (const line of stdout.trim().split('\n'))
      expect(json<object[]>(line).slice(0, 2)).toMatchObject([
        { rainId: 'harmed', balanced: false },
        { rainId: 'fine', balanced: true },
      ]);
  });

  test('--all with a too small --limit reports how many rains were not audited, and exits 1 although the others add up', async () => {
    await context.wonRain('newest', 1);
    const open = await context.ledger.countRains('unsettled');
    expect(open).toBeGreaterThan(1);
    const some = await rain(['audit', '--all', '--limit', '1', '--json'], env);
    expect(json<object[]>(some.stdout)).toMatchObject([{ rainId: 'newest', balanced: true }]);
    expect([some.exit, some.stderr]).toEqual([
      1,
      `${open - 1} older rain${open === 2 ? ' was' : 's were'} not audited; raise --limit\n`,
    ]);
    const all = await rain(['audit', '--all', '--limit', String(open), '--json'], env);
    expect([json<object[]>(all.stdout).length, all.stderr]).toEqual([open, '']);
    // Once, and not with every round.
    const watch = callCli(['audit', '--all', '--watch', '--json', '--limit', '1'], env);
    await eventually(() => watch.stdout().trim().split('\n').length >= 2, { timeoutMs: 20_000 });
    watch.interrupt();
    const { exit, stderr } = await watch.done;
    expect([exit, stderr]).toEqual([1, some.stderr]);
  });
});
