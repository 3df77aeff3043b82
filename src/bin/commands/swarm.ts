import { InvalidArgumentError, type Command } from 'commander';
import { setTimeout as sleep } from 'node:timers/promises';
import { auditRain, type Audit } from '../../operator/audit.ts';
import { OUTCOMES } from '../../protocol/outcomes.ts';
import { seed as seedText } from '../../rain/fairness.ts';
import { redactUrl } from '../../runtime/redis.ts';
import { gatewayAddress } from '../../swarm/address.ts';
import { USERS_MAX } from '../../swarm/limits.ts';
import type { SwarmReport } from '../../swarm/report.ts';
import { CommandFailure, EXIT, print, unreachable } from '../answer.ts';
import { atDesk, configure } from '../connection.ts';
import { parseCount, parseDuration } from '../moment.ts';
import { bar } from '../progress.ts';
import { tokenSigner } from './token.ts';

interface SwarmOptions {
  url?: string;
  rain: string;
  users: number;
  rate: number;
  prefix: string;
  creditWait: number;
  seed?: string;
  audit: boolean;
  json?: boolean;
}

const TOKEN_SECONDS = 2 * 3_600;
/** When nobody has had a socket by then, the address is wrong, or nobody is there. */
const REACH_MS = 5_000;
/** Claims won a moment ago may be on their way to the book. */
const AUDIT_TRIES = 50;

export function addSwarmCommand(program: Command): void {
  program.command('swarm').summary('simulated users over real sockets')
    .description('Sends simulated users, each with a token of his own, to a rain, and tells whether what they were told adds up. Exit code 1 if not.')
    .requiredOption('--rain <id>', 'the rain to grab from')
    .option('--url <ws://…>', 'the gateway; default the one that runs here', parseUrl)
    .option('--users <n>', 'how many', parseCount(1, USERS_MAX), 2_000)
    .option('--rate <n>', 'connections a second', parseCount(1, 10_000), 500)
    .option('--prefix <text>', 'user ids are <prefix>0, <prefix>1 …', 'bot-')
    .option('--credit-wait <time>', 'how long winners wait for their credit', parseDuration, 30_000)
    .option('--seed <hex>', '64 hex digits; the same seed taps at the same moments')
    .option('--no-audit', 'do not compare with the audit, e.g. where others play too')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  rain swarm --url ws://127.0.0.1:8687/v1 --rain m3k9x2a1b2c3d4 --users 2000')
    .action(swarm);
}

async function swarm(options: SwarmOptions): Promise<void> {
  const [{ runWave }, { renderReport }, { judge }] = await Promise.all([import('../../swarm/wave.ts'), import('../../swarm/table.ts'), import('../../swarm/verdict.ts')]);
  const url = options.url ?? configure([]).GATEWAY_PUBLIC_URL;
  if (url === undefined) throw new CommandFailure(EXIT.usage, '--url: missing, expected the gateway to connect to, such as ws://127.0.0.1:8687/v1');
  if (options.seed !== undefined && !seedText.safeParse(options.seed).success) throw new CommandFailure(EXIT.usage, '--seed: expected 64 hex digits');
  const progress = bar('answered', 'users');
  const report = await runWave({
    url, rainId: options.rain, users: options.users, connectsPerSecond: options.rate, userId: (i) => `${options.prefix}${i}`,
    creditWaitMs: options.creditWait, reachMs: REACH_MS, tokenFor: tokenSigner(TOKEN_SECONDS), ...(options.seed !== undefined && { seed: options.seed }),
    onProgress: ({ answered, users }) => progress.update(answered, users),
  }).finally(() => progress.stop());
  expectPlayed(report, redactUrl(url));
  const audit = options.audit && canAudit() ? await finalAudit(options.rain) : undefined;
  const verdict = judge(report, audit?.report);
  print(options.json, { ...report, ...(audit && { audit: audit.report }), ...verdict }, renderReport(report, audit?.report));
  if (!verdict.adds_up) process.exitCode = EXIT.refused;
}

function parseUrl(url: string): string {
  try {
    return gatewayAddress(url).href;
  } catch {
    throw new InvalidArgumentError('expected ws://host:port or wss://…');
  }
}

/** @throws CommandFailure when nobody had a socket, or nobody had a rain: then there is nothing to judge */
function expectPlayed({ unreached, outcomes, rainId }: SwarmReport, url: string): void {
  if (unreached?.status === 401 || unreached?.status === 403) {
    throw new CommandFailure(EXIT.refused, `${url}: the gateway lets nobody in: ${unreached.reason}; is JWT_SECRET the gateway's own?`);
  }
  if (unreached) throw unreachable(`${url}: the gateway cannot be reached: ${unreached.reason}`);
  if (outcomes.every(({ name }) => name === OUTCOMES['-8'].reason)) {
    throw new CommandFailure(EXIT.refused, `--rain: the gateway knows no rain ${rainId}: there is none, it is not loaded yet, or it has long been settled`);
  }
}

/** A swarm on another machine than the servers' can only judge by what its users were told. */
function canAudit(): boolean {
  const { REDIS_URL, DATABASE_URL } = configure([]);
  return REDIS_URL !== undefined && DATABASE_URL !== undefined;
}

/** The audit once nothing is pending any more, or as it stands after a while. */
function finalAudit(rainId: string): Promise<Audit | undefined> {
  return atDesk(async (desk) => {
    for (let tries = 1; ; tries++) {
      const audit = await auditRain(desk, rainId);
      if (!audit || audit.equation.pending.count === 0 || tries === AUDIT_TRIES) return audit;
      await sleep(100);
    }
  });
}
