import { InvalidArgumentError, Option } from 'commander';
import { accessSync, constants, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { OUTCOMES } from '../../protocol/outcomes.ts';
import { seed as seedText } from '../../rain/fairness.ts';
import { redactUrl } from '../../platform/network/serverUrl.ts';
import { gatewayAddress } from '../../loadtest/address.ts';
import { USERS_MAX } from '../../loadtest/limits.ts';
import type { SwarmReport } from '../../loadtest/report/report.ts';
import { parseCount, parseDuration, parseShare } from '../arguments.ts';
import type { Answer, RainCommand } from '../command.ts';
import { withContext, configure } from '../context.ts';
import { CommandFailure, EXIT, unreachable } from '../exit.ts';
import { bar } from '../progress.ts';
import { auditBeside, canAudit, swarmUsers } from '../swarmAudit.ts';
import type { Terminal } from '../terminal.ts';
import { addSaleOptions, misuseOfSaleOptions, saleSwarm, type SaleOptions } from './swarmSale.ts';
import { signingData, tokenSigner } from './token.ts';
import type { WaveOptions } from '../../loadtest/wave.ts';

interface SwarmOptions extends SaleOptions {
  url?: string;
  rain?: string;
  users: number;
  connects: number;
  processes?: number;
  shape?: 'steady' | 'spike' | 'ramp' | 'wave';
  rate?: number;
  flaky: number;
  slow: number;
  cheaters: number;
  prefix: string;
  creditWait: number;
  seed?: string;
  audit: boolean;
  report?: string;
}

const PROCESSES_MAX = 64;
/** Duration of a shape without `--rate`, seconds. */
const SHAPE_SECONDS = 10;
const TOKEN_SECONDS = 2 * 3_600;
/** If no user has a socket by then, the address is wrong or the gateway does not run. */
const REACH_MS = 5_000;

export function addSwarmCommand(program: RainCommand): void {
  const command = program
    .command('swarm')
    .summary('load test with simulated users over real sockets')
    .description(
      'Sends simulated users, each with their own token, to a rain or a sale, and checks whether the answers that they received agree with the audit. Exit code 1 if not. In a rain without --rehearsal they win real money; in a sale without it their orders are real.',
    )
    .option('--rain <id>', 'the rain to grab from')
    .option('--url <ws://…>', 'the gateway; default the one on this machine', parseUrl)
    .option('--users <n>', 'how many users', parseCount(1, USERS_MAX), 2_000)
    .option(
      '--processes <n>',
      'how many processes simulate the users; default as many as the sockets need',
      parseCount(1, PROCESSES_MAX),
    )
    .option('--connects <n>', 'connections a second', parseCount(1, 10_000), 500)
    .option(
      '--rate <n>',
      'taps per second, as an open loop: the time of each tap is fixed before the run; default each user taps 0.15 to 2 s after the opening',
      parseCount(1, 1_000_000),
    )
    .addOption(
      new Option(
        '--shape <shape>',
        `distribution of the taps over time; without --rate within about ${SHAPE_SECONDS} s`,
      ).choices(['steady', 'spike', 'ramp', 'wave']),
    )
    .option('--flaky <share>', 'users whose connection breaks again and again', parseShare, 0)
    .option('--slow <share>', 'users who stop reading for a while', parseShare, 0)
    .option(
      '--cheaters <share>',
      'users who tap far too fast, send invalid messages, and forge fields and tickets; reported apart',
      parseShare,
      0,
    )
    .option('--prefix <text>', 'user ids are <prefix>0, <prefix>1 …', 'bot-')
    .option(
      '--credit-wait <time>',
      'how long winners wait for the credit, and buyers for their order and for the message about their payment',
      parseDuration,
      30_000,
    )
    .option('--seed <hex>', '64 hex digits; the same seed taps at the same moments, and buys the same')
    .option('--no-audit', 'do not compare with the audit')
    .option('--report <file.html>', 'also write the report as one HTML file with plots');
  addSaleOptions(command)
    .json()
    .example(
      'rain swarm --url ws://127.0.0.1:8687/v1 --rain m3k9x2a1b2c3d4 --users 2000',
      'rain swarm --sale m3k9x2a1b2c3d4 --users 2000 --pay 70% --cancel 10% --pay-url http://127.0.0.1:8080/pay',
    )
    .refuses(misuse)
    .runs(({ rain, ...options }: SwarmOptions) =>
      rain === undefined ? runSale(program.terminal, options) : swarm(program.terminal, { ...options, rain }),
    );
}

function misuse(options: SwarmOptions): string | undefined {
  const { rain, sale, seed } = options;
  if ((rain === undefined) === (sale === undefined)) return '--rain or --sale: expected one of the two';
  if (seed !== undefined && !seedText.safeParse(seed).success) return '--seed: expected 64 hex digits';
  if (rain !== undefined) return misuseOfSaleOptions(options, false);
  const ofRains =
    (['processes', 'rate', 'shape', 'report'] as const).find((name) => options[name] !== undefined) ??
    (['flaky', 'slow', 'cheaters'] as const).find((name) => options[name] > 0);
  return ofRains === undefined ? misuseOfSaleOptions(options, true) : `--${ofRains}: only with --rain`;
}

function runSale(terminal: Terminal, options: SwarmOptions): Promise<Answer> {
  return saleSwarm(terminal, { ...options, url: options.url ?? defaultUrl(terminal), sale: options.sale! });
}

async function swarm(terminal: Terminal, options: SwarmOptions & { rain: string }): Promise<Answer> {
  const [{ runWave, processesFor }, { isKnown }, { runProcesses }, { renderReport }, { checkMoney }] =
    await Promise.all([
      import('../../loadtest/wave.ts'),
      import('../../loadtest/bots/knownRain.ts'),
      import('../../loadtest/processes/processPool.ts'),
      import('../../loadtest/report/reportTable.ts'),
      import('../../loadtest/report/verdict.ts'),
    ]);
  const url = options.url ?? defaultUrl(terminal);
  if (options.report !== undefined) expectWritable(terminal, options.report);
  // The rain may be by invitation.
  const named = { rains: [options.rain] };
  const tokenFor = tokenSigner(terminal, TOKEN_SECONDS, named);
  if (!(await isKnown(url, options.rain, await tokenFor(`${options.prefix}0`)))) throw unknownRain(options.rain);
  const progress = bar(terminal, 'answered', 'users');
  const shares = { flaky: options.flaky, slow: options.slow, cheaters: options.cheaters };
  const wave: Omit<WaveOptions, 'tokenFor'> = {
    url,
    rainId: options.rain,
    users: options.users,
    connectsPerSecond: options.connects,
    creditWaitMs: options.creditWait,
    reachMs: REACH_MS,
    ...(options.seed !== undefined && { seed: options.seed }),
    ...arrivalsOf(options),
    ...(Object.values(shares).some((share) => share > 0) && { shares }),
  };
  const processes = options.processes ?? processesFor(options.users, shares);
  const onProgress: WaveOptions['onProgress'] = ({ answered, users }) => progress.update(answered, users);
  const playing =
    processes > 1
      ? runProcesses({
          wave,
          token: signingData(terminal, TOKEN_SECONDS, named),
          prefix: options.prefix,
          processes,
          onProgress,
        })
      : runWave({ ...wave, userId: (i) => `${options.prefix}${i}`, tokenFor, onProgress });
  const report = await playing.finally(progress.stop);
  expectPlayed(report, redactUrl(url));
  const { audit, others } =
    options.audit && canAudit(terminal)
      ? await withContext(terminal, (context) =>
          auditBeside(context, options.rain, swarmUsers(options.users, options.prefix)),
        )
      : {};
  const verdict = checkMoney(report, audit?.report, others);
  if (options.report !== undefined)
    writeFileSync(
      resolve(terminal.folder, options.report),
      (await import('../../loadtest/report/page/page.ts')).renderPage(report, verdict),
    );
  const value = { ...report, ...(audit && { audit: audit.report }), ...verdict };
  return { value, text: renderReport(report, audit?.report, others), exit: !verdict.balanced && EXIT.refused };
}

/** The gateway on this machine. */
export function defaultUrl({ environment }: Terminal): string {
  const { GATEWAY_PUBLIC_URL: url } = configure(environment, []);
  if (url === undefined)
    throw new CommandFailure(
      EXIT.usage,
      '--url: missing, expected the gateway to connect to, such as ws://127.0.0.1:8687/v1',
    );
  return url;
}

export function parseUrl(url: string): string {
  try {
    return gatewayAddress(url).href;
  } catch {
    throw new InvalidArgumentError('expected ws://host:port or wss://…');
  }
}

/** @throws CommandFailure when no user had a socket, or no user found the rain: then there is no result to check */
export function expectPlayed({ unreached, outcomes, rainId }: SwarmReport, url: string): void {
  if (unreached?.status === 401 || unreached?.status === 403) {
    throw new CommandFailure(
      EXIT.refused,
      `${url}: the gateway rejects every user: ${unreached.reason}; has it the same JWT_SECRET?`,
    );
  }
  if (unreached) throw unreachable(`${url}: the gateway cannot be reached: ${unreached.reason}`);
  if (outcomes.every(({ name }) => name === OUTCOMES['-8'].reason)) throw unknownRain(rainId);
}

function unknownRain(rainId: string): CommandFailure {
  return new CommandFailure(
    EXIT.refused,
    `--rain: the gateway does not know the rain ${rainId}: it does not exist, it is not loaded yet, or it was settled long ago`,
  );
}

/** Checked before the run, so that no run ends without its report. */
function expectWritable({ folder }: Terminal, file: string): void {
  try {
    accessSync(dirname(resolve(folder, file)), constants.W_OK);
  } catch (error) {
    throw new CommandFailure(
      EXIT.usage,
      `--report: ${file} cannot be written (${(error as NodeJS.ErrnoException).code}), expected a file in an existing folder`,
    );
  }
}

function arrivalsOf({ shape, rate, users }: SwarmOptions): Pick<WaveOptions, 'arrivals'> {
  if (shape === undefined && rate === undefined) return {};
  return { arrivals: { shape: shape ?? 'steady', perSecond: rate ?? users / SHAPE_SECONDS } };
}
