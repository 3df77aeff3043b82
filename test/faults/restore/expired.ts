import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { lastingKeys } from '../../../src/store/keys.ts';
import { eventually } from '../../support/eventually.ts';
import { deploy } from '../deployment.ts';
import { backUpPostgres } from '../means/backup.ts';
import type { RunResult } from '../recovery.ts';
import { endAndSettle, grab, isCredited, openRain, untilCredited } from './rains.ts';
import { say } from './say.ts';

const WITHIN_MS = 30_000;

/**
 * A rain was settled so long ago that Redis has forgotten it, and PostgreSQL comes back from before its settlement: no
 * store knows the later winners. The rain must not be played or settled as if there were none; the list that was
 * exported after it brings them back.
 */
export async function playExpired(): Promise<RunResult> {
  const deployment = await deploy({ gateways: 1, workers: 1 });
  const { context } = deployment;
  const problems: string[] = [];
  const expected = (holds: boolean, sentence: string) => {
    if (!holds) problems.push(sentence);
  };
  try {
    const rain = await openRain(deployment, `expired-${randomBytes(3).toString('hex')}`, 'expired');
    const { rainId, users } = rain;
    await untilCredited(deployment, rain);
    const postgres = backUpPostgres(deployment);
    await grab(rain, 'second', 5);
    await untilCredited(deployment, rain);
    const winners = join(deployment.redisFolder, 'winners.csv');
    writeFileSync(winners, await deployment.rain('winners', rainId, '--csv'));
    await endAndSettle(deployment, rain);
    await eventually(async () => (await context.redis.pttl(lastingKeys(rainId, 0)[0]!)) > 0, { timeoutMs: WITHIN_MS });
    for (const key of lastingKeys(rainId, 0)) await context.redis.pexpire(key, 1);
    await postgres.restore();

    const check = await eventually(
      async () => {
        const text = await say(deployment, 'restore', 'check', rainId);
        return text.includes('DIFFER') && text;
      },
      { timeoutMs: WITHIN_MS },
    );
    expected(check.includes(`rain restore import ${rainId}`), `the check does not name the way out: ${check}`);
    // A crowd that does not wait for the operator, and winners who come back.
    await Promise.all([grab(rain, 'third', 4, 2_000), users.grab([...users.told.keys()], 2_000)]);
    expected(
      (await say(deployment, 'restore', 'apply', rainId, '--reason', 'drill')).includes('refused'),
      'it was rebuilt without its winners',
    );
    expected(
      (await say(deployment, 'write-off', rainId, '--reason', 'drill', '--dry-run')).includes(rainId),
      'the write-off says nothing of the rain',
    );
    await deployment.rain('restore', 'import', rainId, '--winners', winners);
    await eventually(async () => (await context.ledger.book(rainId))!.credited.count === users.told.size, {
      timeoutMs: WITHIN_MS,
    });
    await deployment.rain('write-off', rainId, '--reason', 'drill', '--no-pay-told');
    expected(
      (await context.ledger.rain(rainId))?.settledAt !== undefined,
      'the rain is not settled after the write-off',
    );
    await deployment.rain('restore', 'check', rainId);

    let lost = 0;
    for (const [userId, told] of users.told) {
      for (const win of told)
        if (!(await isCredited(context, rainId, userId, win)))
          problems.push(`${userId} was told ${win.amount} of ${win.redPacketId} and is not paid (${++lost})`);
    }
    expected((await context.ledger.sumOfBalances()) === 0n, 'the accounts do not sum to 0');
    problems.push(...deployment.accidents());
    return { acknowledged: users.told.size, lost, doubled: 0, problems, recoverySeconds: 0, struck: 'with PostgreSQL' };
  } finally {
    await deployment.end();
  }
}
