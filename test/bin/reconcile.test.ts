import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runCommandLine } from '../../src/bin/program.ts';
import type { Output } from '../../src/bin/terminal.ts';
import { claimIdOf } from '../../src/credit/claimId.ts';
import { claimOf, newRain } from '../ledger/claims.ts';
import { bareEnvironment, rain } from '../support/call.ts';
import { openTestContext, type TestContext } from '../support/operatorContext.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';

let context: TestContext;
let env: Record<string, string>;
const claims = [
  claimOf('hook', 0, { redPacketId: 'hook-0' }),
  claimOf('hook', 1, { redPacketId: 'hook-1', userId: '=SUM(A1)' }),
];
const rows = [
  'time,id,amount',
  ...claims.map((claim) => `1795000000000,${claimIdOf('webhook_v2', claim)},${claim.amount}`),
];
beforeAll(async () => {
  context = await openTestContext();
  env = { REDIS_URL: context.redisUrl, DATABASE_URL: context.databaseUrl };
  for (const [id, provider] of [
    ['hook', 'webhook_v2'],
    ['home', 'ledger'],
  ] as const) {
    await context.ledger.createRain(newRain(id, 1_000n), 'ann');
    await context.ledger.assignPayout(id, provider);
  }
  await context.ledger.reserve(claims);
  await context.ledger.credit(claims);
});
afterAll(() => context?.stop());

const reconcile = (stdin: string, ...words: string[]) =>
  rain(['reconcile', 'hook', '--statement', '-', ...words], env, stdin);

test('rain reconcile exits 0 when wallet and book agree, and 1 with what differs, as text, JSON and CSV', async () => {
  const agreed = await reconcile(rows.join('\n'));
  expect(agreed.stdout).toMatch(/^verdict +all agree$/m);
  expect(agreed).toMatchObject({ exit: 0, stderr: '' });
  const short = rows.slice(0, 2).join('\n');
  const [told, json, csv] = await Promise.all([
    reconcile(short),
    reconcile(short, '--json'),
    reconcile(short, '--csv'),
  ]);
  expect([told.exit, json.exit, csv.exit]).toEqual([1, 1, 1]);
  expect(told.stdout).toMatch(/^only in the book +1$/m);
  expect(told.stdout).toMatch(
    /^book_only +hook-1:%3DSUM\(A1\):0\.02 +=SUM\(A1\) +0\.02 +credited, and not in the statement$/m,
  );
  expect(JSON.parse(json.stdout)).toMatchObject({
    rainId: 'hook',
    agree: false,
    counts: { both: 1, book_only: 1 },
    differences: [{ result: 'book_only', redPacketId: 'hook-1', booked: '0.02' }],
    complete: true,
  });
  // A cell that a spreadsheet would run as a formula is text.
  expect(csv.stdout).toBe(
    `\uFEFFresult,id,redPacketId,userId,paid,booked,time,line,detail\r\nbook_only,hook-1:%3DSUM(A1):0.02,hook-1,'=SUM(A1),,0.02,,,"credited, and not in the statement"\r\n`,
  );
  expect(csv.stderr).toContain('THEY DO NOT AGREE');
});

test('[R12] rain reconcile names the file, the line and the column that it cannot read, and what it cannot compare', async () => {
  const folder = temporaryFolder();
  const path = join(folder, 'wallet.csv');
  writeFileSync(path, 'id,amount,time\nhook-0,1,1795000000000\n');
  const run = (...words: string[]) => rain(['reconcile', ...words], env);
  expect(await run('hook', '--statement', path)).toMatchObject({
    exit: 2,
    stderr: `rain: --statement: ${path}: line 2, column amount: expected a positive amount such as "12.21"\n`,
  });
  expect(await run('hook', '--statement', path, '--csv')).toMatchObject({
    exit: 2,
    stderr: expect.stringContaining('line 2, column amount') as string,
  });
  expect(await run('hook', '--statement', join(folder, 'none.csv'))).toMatchObject({
    exit: 2,
    stderr: expect.stringMatching(/none\.csv: cannot be read: ENOENT/) as string,
  });
  expect(await run('hook', '--statement', path, '--csv', '--json')).toMatchObject({
    exit: 2,
    stderr: expect.stringContaining('--csv: expected either --csv or --json') as string,
  });
  expect(await run('nowhere', '--statement', path)).toMatchObject({
    exit: 1,
    stderr: 'rain: id: there is no rain nowhere\n',
  });
  expect(await run('home', '--statement', path)).toMatchObject({
    exit: 1,
    stderr: expect.stringContaining('paid in our own ledger') as string,
  });
});

test('rain reconcile --csv whose reader stops reading does not exit as if all agreed', async () => {
  const stdout = new Writable({
    write(_chunk, _encoding, done) {
      done(Object.assign(new Error('closed'), { code: 'EPIPE' }));
    },
  });
  let stderr = '';
  const exit = await runCommandLine(
    {
      stdin: Readable.from([Buffer.from(rows.slice(0, 2).join('\n'))], { objectMode: false }),
      stdout: stdout as Output,
      folder: temporaryFolder(),
      stderr: new Writable({
        write(chunk, _encoding, done) {
          stderr += String(chunk);
          done();
        },
      }) as Output,
      environment: bareEnvironment(env, temporaryFolder()),
      exitCode: 0,
      onInterrupt: () => () => {},
    },
    ['reconcile', 'hook', '--statement', '-', '--csv'],
  );
  expect([exit, stderr]).toEqual([1, 'rain: the output was closed before all was compared\n']);
});
