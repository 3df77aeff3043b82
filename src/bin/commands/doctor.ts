import { examineDatabase } from '../../ledger/databaseCheck.ts';
import { checkDatabase } from '../../operator/doctor/database.ts';
import type { Finding } from '../../operator/doctor/finding.ts';
import type { Planned } from '../../operator/doctor/memory.ts';
import { examineRains } from '../../operator/doctor/rains.ts';
import { examineRedis } from '../../operator/doctor/redis.ts';
import { examineSales } from '../../operator/doctor/sales.ts';
import { examineStores } from '../../operator/doctor/stores.ts';
import { examineShop } from '../../operator/doctor/shop.ts';
import { checkWallet } from '../../operator/doctor/wallet.ts';
import { examineWindows } from '../../operator/doctor/windows.ts';
import { aclRulesOf, REDIS_ROLES, type RedisRole } from '../../store/permissions.ts';
import { PACKETS_MAX } from '../../rain/plan.ts';
import { redactUrl } from '../../platform/network/serverUrl.ts';
import { parseCount } from '../arguments.ts';
import { paint } from '../style.ts';
import type { RainCommand } from '../command.ts';
import { configureCommand, openContext, REACHED_MS_MAX, withRedis } from '../context.ts';
import { EXIT, explain } from '../exit.ts';

export function addDoctorCommand(program: RainCommand): void {
  program
    .command('doctor')
    .summary('check Redis and the database before a rain')
    .description(
      'Checks Redis and the database before a rain: settings, memory, clocks, migrations, permissions, whether both know the same rains and sales, and whether anything of a sale is stopped or waits. Exit code 1 when something is wrong, 3 when one of them cannot be reached.',
    )
    .option('--packets <n>', 'packets of the planned rain', parseCount(1, PACKETS_MAX), 100_000)
    .option('--users <n>', 'users that may join', parseCount(1, 100_000_000), 100_000)
    .option(
      '--acl',
      'check nothing: print the rules for a user of Redis of its own for gateways, workers, and console with command line',
    )
    .json()
    .example('rain doctor --packets 1000000 --users 5000000')
    .runs(async ({ acl, ...planned }: Planned & { acl?: true }) => {
      if (acl)
        return {
          value: { acl: Object.fromEntries(REDIS_ROLES.map((role) => [role, aclRulesOf(role)])) },
          text: REDIS_ROLES.map(userLine).join('\n'),
        };
      const config = configureCommand(program.terminal.environment);
      const { REDIS_URL, DATABASE_URL, DURABILITY } = config;
      const examined = await Promise.all([
        findingsAt('redis', REDIS_URL, () =>
          withRedis(REDIS_URL, REACHED_MS_MAX, (redis) => examineRedis(redis, DURABILITY, planned)),
        ),
        findingsAt('database', DATABASE_URL, async () => checkDatabase(await examineDatabase(DATABASE_URL))),
      ]);
      const each = [...examined.flatMap((result) => result.findings), ...checkWallet(config)];
      // The stores are compared only when both answer, let us, and the database has its tables and leaves times as they
      // are.
      const comparable =
        examined.every(({ reached }) => reached) &&
        each.every(({ name, verdict }) => !['migrations', 'times', 'commands'].includes(name) || verdict !== 'wrong');
      const findings = comparable ? [...each, ...(await compareStores(config))] : each;
      const wrong = findings.filter(({ verdict }) => verdict === 'wrong').length;
      const exit = examined.some(({ reached }) => !reached) ? EXIT.unreachable : wrong > 0 && EXIT.refused;
      return { value: { ok: wrong === 0, findings }, text: describe(findings, wrong), exit };
    });
}

/** As redis-cli takes it, but for the password. */
const userLine = (role: RedisRole): string => `ACL SETUSER rain-${role} reset on >PASSWORD ${aclRulesOf(role)}`;

async function compareStores(servers: Parameters<typeof openContext>[0]): Promise<Finding[]> {
  const context = await openContext(servers, 'doctor');
  try {
    return [
      ...(await examineStores(context)),
      ...(await examineWindows(context)),
      ...(await examineRains(context)),
      ...(await examineSales(context)),
      ...(await examineShop(context)),
    ];
  } finally {
    await context.close();
  }
}

/** The findings of `examine` at a server, or that the server cannot be reached. */
async function findingsAt(
  subject: 'redis' | 'database',
  url: string,
  examine: () => Promise<Finding[]>,
): Promise<{ findings: Finding[]; reached: boolean }> {
  try {
    return { findings: await examine(), reached: true };
  } catch (error) {
    const found = `${redactUrl(url)}: ${explain(error).reasons.join('; ')}`;
    const advice = `check that it runs, and set ${subject === 'redis' ? 'REDIS_URL' : 'DATABASE_URL'}`;
    return {
      findings: [{ subject, name: 'reachable', verdict: 'wrong', found, expected: 'an answer', advice }],
      reached: false,
    };
  }
}

const VERDICTS: Record<Finding['verdict'], (text: string) => string> = {
  ok: paint.good,
  warning: paint.warning,
  wrong: paint.bad,
};

/** Faults stand last, above the verdict, where a terminal shows them. */
const LAST = Object.keys(VERDICTS);

function describe(findings: readonly Finding[], wrong: number): string {
  const lines = findings
    .toSorted((a, b) => LAST.indexOf(a.verdict) - LAST.indexOf(b.verdict))
    .map(({ subject, name, verdict, found, expected, advice }) => {
      const line = `${VERDICTS[verdict](verdict.padEnd(8))} ${subject} ${name}: ${found}`;
      return advice === undefined
        ? line
        : `${line}\n${' '.repeat(9)}expected: ${expected}\n${' '.repeat(9)}to do: ${advice}`;
    });
  const warnings = findings.filter(({ verdict }) => verdict === 'warning').length;
  const verdict =
    wrong > 0
      ? paint.bad(`${wrong} wrong, ${warnings} warnings: NOT SAFE FOR MONEY.`)
      : warnings > 0
        ? paint.warning(`Nothing is wrong; ${warnings} ${warnings === 1 ? 'warning' : 'warnings'}.`)
        : paint.good('All checks passed.');
  return [...lines, verdict].join('\n');
}
