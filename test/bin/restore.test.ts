import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { claimIdOf } from '../../src/credit/claimId.ts';
import { EPOCH_KEY, shardKeys } from '../../src/store/keys.ts';
import { createGrabEngine } from '../../src/grab/engine.ts';
import { topUpRain } from '../../src/operator/topUp.ts';
import { rain } from '../support/call.ts';
import { claimLog } from '../support/operatorContext.ts';
import { openQueueContext, type TestQueueContext } from '../support/queueContext.ts';
import { stockRain } from '../support/rain.ts';
import { SIGNING_SECRET } from '../support/signer.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';

let context: TestQueueContext;
let env: Record<string, string>;
beforeAll(async () => {
  context = await openQueueContext();
  env = { REDIS_URL: context.redisUrl, DATABASE_URL: context.databaseUrl, SIGNING_SECRET };
});
afterAll(() => context.stop());
beforeEach(() => context.redis.flushall());

const json = <T>(text: string): T => JSON.parse(text) as T;

test('a rain without its state: every command names the one way out, and it is one', async () => {
  await context.wonRain('lost', 2);
  await context.credit();
  await context.redis.del(shardKeys('lost', 0).state);
  for (const words of [
    ['close', 'lost'],
    ['close', 'lost', '--dry-run'],
    ['pause', 'lost'],
    ['resume', 'lost'],
    ['recycle', 'lost'],
    ['load', 'lost'],
    ['write-off', 'lost', '--reason', 'x'],
    ['top-up', 'lost', '--budget', '1.00', '--packets', '1'],
    ['audit', 'lost'],
  ]) {
    const run = await rain(words, env);
    expect(run.exit, words.join(' ')).toBe(1);
    expect(run.stderr + run.stdout, words.join(' ')).toContain('rain restore apply lost');
  }
  expect((await rain(['show', 'lost'], env)).stdout).toContain('rain restore apply lost');
  expect(await rain(['replay', 'lost'], env)).toMatchObject({
    exit: 0,
    stderr: 'The log and the ledger agree: 2 claims.\n',
  });

  const check = await rain(['restore', 'check'], env);
  expect(check).toMatchObject({ exit: 1, stderr: '' });
  expect(check.stdout).toMatch(
    /^lost {2}Rain lost\n {2}Redis has lost the state.*\n {4}to do: rain restore apply lost\n\nREDIS AND THE LEDGER DIFFER\.\n$/,
  );
  const foretold = await rain(['restore', 'apply', 'lost', '--dry-run'], env);
  expect(foretold.stdout).toContain('lost, would be done:');
  expect(foretold.stdout).not.toContain('still different');
  expect(foretold.stdout).toMatch(/rebuilt 1 of 1 shards with 8 packets .*\n[^]*dry run: nothing was changed\n$/);
  expect(await context.redis.exists(shardKeys('lost', 0).state)).toBe(0);
  expect(await rain(['restore', 'apply'], env)).toMatchObject({
    exit: 0,
    stdout: expect.stringContaining('go on with rain resume lost') as string,
  });
  expect(await rain(['restore', 'check', 'lost', '--json'], env)).toMatchObject({
    exit: 0,
    stdout: '{"agree":true,"compared":1,"rains":[]}\n',
  });
  expect((await rain(['resume', 'lost'], env)).exit).toBe(0);
});

test('a rain that only Redis has is called that by every command, and the audit of all exits 1', async () => {
  await stockRain(context.redis, { rainId: 'stranger', amounts: ['1.00', '1.00'] });
  for (const words of [
    ['show', 'stranger'],
    ['replay', 'stranger'],
    ['winners', 'stranger'],
    ['audit', 'stranger'],
    ['recycle', 'stranger'],
    ['load', 'stranger'],
  ]) {
    expect(await rain(words, env), words.join(' ')).toMatchObject({
      exit: 1,
      stderr: expect.stringMatching(
        /^rain: id: Redis has the rain stranger, and the ledger does not know it: /,
      ) as string,
    });
  }
  const all = await rain(['audit', '--all', '--json'], env);
  expect(all.exit).toBe(1);
  expect(json<{ rainId: string }[]>(all.stdout)).toContainEqual({
    rainId: 'stranger',
    title: 'stranger',
    balanced: false,
    fault: expect.stringContaining('the ledger does not know it') as string,
  });
  expect(await rain(['restore', 'check', 'nowhere'], env)).toMatchObject({
    exit: 1,
    stderr: 'rain: id: there is no rain nowhere\n',
  });
});

test('the doctor exits 1 while one of the stores does not know a rain of the other', async () => {
  await context.wonRain('vanished', 1);
  await context.redis.flushall();
  await stockRain(context.redis, { rainId: 'unbooked', amounts: ['1.00'] });
  const { stdout, exit } = await rain(['doctor'], env);
  expect(exit).toBe(1);
  expect(stdout).toMatch(
    /^wrong {4}redis rains: missing: .*vanished.*\n.*\n +to do: see what is known with: rain restore check, and bring it back with: rain restore apply$/m,
  );
  expect(stdout).toMatch(/^wrong {4}database rains: unknown: unbooked\n/m);
});

test('a rain is not topped up while Redis has a top-up that the ledger has lost', async () => {
  await context.wonRain('mixed', 0);
  await context.redis.hset(shardKeys('mixed', 0).state, 'packets', 12, 'loaded', 12);
  expect(await topUpRain(context, 'mixed', { budget: '1.00', packets: 1 })).toEqual({
    ok: false,
    refusals: [
      {
        field: 'rain',
        reason: expect.stringContaining('Redis has 12 packets of the rain mixed, and the ledger knows 10') as string,
      },
    ],
  });
  expect((await context.ledger.rain('mixed'))!.packets).toBe(10);
  expect(json((await rain(['restore', 'check', 'mixed', '--json'], env)).stdout)).toMatchObject({
    agree: false,
    rains: [{ counts: { top_up_not_in_book: 1 } }],
  });
});

test('winners are imported from a file, all or none', async () => {
  await context.wonRain('imported', 3);
  const folder = temporaryFolder();
  const file = join(folder, 'winners.csv');
  writeFileSync(file, (await rain(['winners', 'imported', '--csv'], env)).stdout);
  const claims = await claimLog(context, 'imported');
  await context.redis.flushall();
  expect(await rain(['restore', 'import', 'imported', '--winners', file, '--dry-run'], env)).toMatchObject({
    exit: 0,
    stdout: expect.stringContaining(
      '3 winners, 0 of them credited before; 0 would be written into the claim log, 3 would be sent',
    ) as string,
  });
  expect(await rain(['restore', 'import', 'imported', '--winners', file], env)).toMatchObject({ exit: 0 });
  expect(await context.ledger.book('imported')).toMatchObject({ credited: { count: 3 } });
  writeFileSync(file, `redPacketId,userId,amount\n${claims[0]!.redPacketId},mallory,1.00\n`);
  expect(await rain(['restore', 'import', 'imported', '--winners', file], env)).toMatchObject({
    exit: 1,
    stderr: 'rain: line 2, column userId: imported-0 is credited to user-0 in the ledger\n',
  });
  writeFileSync(file, Buffer.from('redPacketId,userId,amount\nimported-0,J\xfcrgen,1.00\n', 'latin1'));
  expect(await rain(['restore', 'import', 'imported', '--winners', file], env)).toMatchObject({
    exit: 2,
    stderr: `rain: --winners: ${file} is not UTF-8; expected a text in UTF-8\n`,
  });
  expect(await rain(['restore', 'import', 'imported', '--winners', join(folder, 'none.csv')], env)).toMatchObject({
    exit: 2,
    stderr: expect.stringContaining('cannot be read: ENOENT') as string,
  });
});

test("the wallet's statement is compared, too: exit 1 with what it alone has paid, and what to do", async () => {
  await context.wonRain('wallet', 2);
  await context.ledger.assignPayout('wallet', 'webhook_v2');
  const claims = await claimLog(context, 'wallet');
  const statement = [
    'id,amount,time',
    ...claims.map((claim) => `${claimIdOf('webhook_v2', claim)},${claim.amount},1795000000000`),
    'other-1:ann:1.00,1.00,1795000000000',
  ].join('\n');
  await context.redis.flushall();
  await rain(['restore', 'apply', 'wallet', '--reason', 'burned'], env);
  const one = await rain(['restore', 'check', 'wallet', '--statement', '-'], env, statement);
  expect(one).toMatchObject({ exit: 1, stderr: '' });
  expect(one.stdout).toContain('  the wallet paid wallet-0:user-0:1.00 with 1.00 (line 2), and neither store has it\n');
  expect(one.stdout).toMatch(
    /to do: rain restore import wallet --winners wallet\.csv.*\n\n1 payments for other rains, .*\n\nREDIS, THE LEDGER AND THE WALLET'S STATEMENT DIFFER\.\n$/,
  );
  const every = await rain(['restore', 'check', '--statement', '-', '--json'], env, statement);
  expect(every.exit).toBe(1);
  expect(json<{ otherPayments: number; rains: unknown[] }>(every.stdout)).toMatchObject({
    agree: false,
    otherPayments: 0,
    rains: expect.arrayContaining([
      expect.objectContaining({ rainId: 'wallet', counts: { paid: 2 } }),
      expect.objectContaining({ rainId: 'other', counts: { paid_of_lost_rain: 1 } }),
    ]) as unknown[],
  });
  const imported = await rain(['restore', 'import', 'wallet', '--winners', '-', '--dry-run'], env, statement);
  expect(imported).toMatchObject({
    exit: 0,
    stdout: expect.stringContaining('1 payments are for other rains, and were left out') as string,
  });
  await context.ledger.reserve(claims);
  await context.ledger.credit(claims);
  await rain(['restore', 'apply', 'wallet'], env);
  expect(await rain(['restore', 'check', 'wallet', '--statement', '-'], env, statement)).toMatchObject({
    exit: 0,
    stdout: expect.stringContaining(
      "Redis, the ledger and the wallet's statement agree: 1 rains and sales compared.",
    ) as string,
  });
});

test('[R12] a statement that cannot be read, or of a rain that no wallet pays, is refused', async () => {
  await context.wonRain('home', 1);
  await context.ledger.assignPayout('home', 'ledger');
  const check = (statement: string) => rain(['restore', 'check', 'home', '--statement', '-'], env, statement);
  expect(await check('id,amount,time\nhome-0,1,1795000000000')).toMatchObject({
    exit: 2,
    stderr: 'rain: --statement: -: line 2, column amount: expected a positive amount such as "12.21"\n',
  });
  expect(await check('id,amount,time')).toMatchObject({
    exit: 1,
    stderr: 'rain: --statement: the rain is paid in our own ledger: there is nothing to compare it with\n',
  });
  expect(await rain(['restore', 'check', '--statement', join(temporaryFolder(), 'none.csv')], env)).toMatchObject({
    exit: 2,
    stderr: expect.stringContaining('cannot be read: ENOENT') as string,
  });
});

test('a ledger that has lost a rain: nobody is told that his win of it is credited', async () => {
  await stockRain(context.redis, { rainId: 'joined', amounts: ['1.00', '1.00'] });
  await createGrabEngine(context.redis, (fault) => {
    throw fault;
  }).grab('joined', 0, ['ann']);
  const [claim] = await claimLog(context, 'joined');
  await context.redis.sadd(shardKeys('joined', 0).credited, context.signer.creditMark(claim!));
  expect((await rain(['restore', 'apply', 'joined'], env)).exit).toBe(1);
  expect(await context.redis.exists(shardKeys('joined', 0).credited)).toBe(0);
});

test('a check shows first how many differences of each kind there are, then each one', async () => {
  await context.wonRain('many', 3);
  await context.credit();
  await context.redis.del(shardKeys('many', 0).claims);
  await context.redis.lpush(shardKeys('many', 0).packets, '{"redPacketId":"many-0","amount":"1.00","mac":""}');
  const { stdout } = await rain(['restore', 'check'], env);
  const [summary, ...rest] = stdout.split('\n\n');
  expect(summary).toMatch(/^many {2}3 credit_not_in_log, 1 credited_packet_in_list$/m);
  expect(rest.filter((part) => /^many {2}Rain many\n {2}many-0 is credited to user-0/.test(part))).toHaveLength(1);
  expect(rest.at(-1)).toBe('REDIS AND THE LEDGER DIFFER.\n');
});

test('the check prints an apply that is not refused when it is run as printed', async () => {
  await context.wonRain('burned', 2);
  await context.credit();
  await context.redis.flushall();
  expect((await rain(['restore', 'apply', 'burned', '--dry-run'], env)).stdout).toContain('refused: reason:');
  const { stdout } = await rain(['restore', 'check'], env);
  const [, words] = /^ {4}to do: rain (restore apply burned.*)$/m.exec(stdout)!;
  expect(words).toBe('restore apply burned --reason "what nobody knows of may be missing"');
  const typed = words!.match(/"[^"]*"|\S+/g)!.map((word) => word.replaceAll('"', ''));
  expect((await rain(typed, env)).stdout).toContain('rebuilt 1 of 1 shards');
});

test('with another database the check says why apply would be refused, and suggests none', async () => {
  await context.wonRain('foreign', 1);
  await context.credit();
  await context.redis.del(shardKeys('foreign', 0).state);
  await context.redis.hset(EPOCH_KEY, { store: 'another', counter: 1 });
  const { stdout } = await rain(['restore', 'check', 'foreign'], env);
  expect(stdout).toMatch(/^ {4}to do: this Redis was used with another database/m);
  expect(stdout).not.toContain('to do: rain restore apply');
});
