import { InvalidArgumentError } from 'commander';
import { redactUrl } from '../../platform/network/serverUrl.ts';
import { SALE_OUTCOMES } from '../../protocol/saleOutcomes.ts';
import { BUYERS_MAX } from '../../loadtest/limits.ts';
import type { SaleSwarmReport } from '../../loadtest/sale/report.ts';
import { parseShare } from '../arguments.ts';
import type { Answer, RainCommand } from '../command.ts';
import { runningSystem, withContext } from '../context.ts';
import { CommandFailure, EXIT, unreachable } from '../exit.ts';
import { bar } from '../progress.ts';
import { auditSaleBeside, canAudit, swarmUsers, type SaleBeside } from '../swarmAudit.ts';
import type { Terminal } from '../terminal.ts';
import { tokenSigner } from './token.ts';

export interface SaleOptions {
  sale?: string;
  users: number;
  pay?: number;
  cancel?: number;
  repeat?: number;
  hostile?: number;
  payUrl?: string;
}

interface SaleSwarmCommand extends SaleOptions {
  url: string;
  sale: string;
  connects: number;
  prefix: string;
  creditWait: number;
  seed?: string;
  audit: boolean;
}

const DEFAULTS = { pay: 0.7, cancel: 0.1, repeat: 0.2, hostile: 0.05 };
const OF_SALES = ['pay', 'cancel', 'repeat', 'hostile', 'payUrl'] as const;
const TOKEN_SECONDS = 2 * 3_600;
/** If no buyer has a socket by then, the address is wrong or the gateway does not run. */
const REACH_MS = 5_000;

export function addSaleOptions(command: RainCommand): RainCommand {
  return command
    .option('--sale <id>', `the sale to buy from, instead of a rain; at most ${BUYERS_MAX} users`)
    .option('--pay <share>', `reservations that are paid; default ${DEFAULTS.pay * 100}%`, parseShare)
    .option(
      '--cancel <share>',
      `reservations that are cancelled; the rest is neither paid nor cancelled; default ${DEFAULTS.cancel * 100}%`,
      parseShare,
    )
    .option(
      '--repeat <share>',
      `purchases that are asked twice with one ref; default ${DEFAULTS.repeat * 100}%`,
      parseShare,
    )
    .option(
      '--hostile <share>',
      `buyers who also send a quantity or an item that must not buy anything; default ${DEFAULTS.hostile * 100}%`,
      parseShare,
    )
    .option(
      '--pay-url <http://…>',
      'where a payment is posted, as {"reservationId"}: the shop, or its stand-in; default the stand-in of npm start, elsewhere nobody pays',
      parsePayUrl,
    );
}

function parsePayUrl(url: string): string {
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
    throw new InvalidArgumentError('expected http://… or https://…');
  return url;
}

/** The fault in these options, for a sale and for a rain. */
export function misuseOfSaleOptions(options: SaleOptions, isSale: boolean): string | undefined {
  if (!isSale) {
    const given = OF_SALES.find((name) => options[name] !== undefined);
    return given === undefined ? undefined : `--${given === 'payUrl' ? 'pay-url' : given}: only with --sale`;
  }
  const { users, pay = DEFAULTS.pay, cancel = DEFAULTS.cancel } = options;
  if (users > BUYERS_MAX) return `--users: expected at most ${BUYERS_MAX} with --sale, got ${users}`;
  return pay + cancel > 1
    ? `--pay and --cancel: expected a sum of at most 100%, got ${Math.round((pay + cancel) * 100)}%`
    : undefined;
}

export async function saleSwarm(terminal: Terminal, options: SaleSwarmCommand): Promise<Answer> {
  const [{ runSaleSwarm }, { isSaleKnown }, { renderSaleReport }, { checkSale }] = await Promise.all([
    import('../../loadtest/sale/swarm.ts'),
    import('../../loadtest/sale/knownSale.ts'),
    import('../../loadtest/sale/reportText.ts'),
    import('../../loadtest/sale/verdict.ts'),
  ]);
  const {
    url,
    sale: saleId,
    users,
    prefix,
    payUrl = await demoPayUrl(terminal, url),
    seed,
    pay = DEFAULTS.pay,
    cancel = DEFAULTS.cancel,
    repeat = DEFAULTS.repeat,
    hostile = DEFAULTS.hostile,
  } = options;
  const tokenFor = tokenSigner(terminal, TOKEN_SECONDS, { sales: [saleId] });
  if (!(await isSaleKnown(url, saleId, await tokenFor(`${prefix}0`)))) throw unknownSale(saleId);
  const progress = bar(terminal, 'answered', 'buyers');
  const report = await runSaleSwarm({
    url,
    saleId,
    users,
    shares: { pay, cancel, repeat, hostile },
    userId: (i) => `${prefix}${i}`,
    tokenFor,
    connectsPerSecond: options.connects,
    settleMs: options.creditWait,
    reachMs: REACH_MS,
    ...(payUrl !== undefined && { payUrl }),
    ...(seed !== undefined && { seed }),
    onProgress: ({ answered }) => progress.update(answered, users),
  }).finally(progress.stop);
  expectBought(report, redactUrl(url));
  const told = report.orders.map(({ reservationId }) => reservationId);
  const { audit, checked }: Partial<SaleBeside> =
    options.audit && canAudit(terminal)
      ? ((await withContext(terminal, (context) =>
          auditSaleBeside(context, saleId, swarmUsers(users, prefix), told),
        )) ?? { checked: { saleId, orders: [] } })
      : {};
  const verdict = checkSale(report, checked);
  return {
    value: { ...report, ...(audit && { audit: audit.report }), ...verdict },
    text: renderSaleReport(report, checked),
    exit: !verdict.balanced && EXIT.refused,
  };
}

/** The stand-in of a shop in the demo of `npm start`; `undefined`: the buyers buy elsewhere. */
async function demoPayUrl({ environment }: Terminal, url: string): Promise<string | undefined> {
  const running = runningSystem(environment);
  if (!running?.demo || running.gatewayUrl !== url) return undefined;
  const { DEMO_PAY_PATH } = await import('../../console/shop/demo.ts');
  return new URL(DEMO_PAY_PATH, running.consoleUrl).href;
}

/** @throws CommandFailure when no buyer had a socket, or no buyer found the sale: then there is no result to check */
function expectBought({ unreached, endings, users, saleId }: SaleSwarmReport, url: string): void {
  const all = endings[0]?.count === users ? endings[0].name : undefined;
  if (all?.startsWith('refused: '))
    throw new CommandFailure(
      EXIT.refused,
      `${url}: the gateway rejects every user: ${all.slice('refused: '.length)}; has it the same JWT_SECRET?`,
    );
  if (unreached !== undefined) throw unreachable(`${url}: the gateway cannot be reached: ${unreached}`);
  if (all === SALE_OUTCOMES['-8'].reason) throw unknownSale(saleId);
}

function unknownSale(saleId: string): CommandFailure {
  return new CommandFailure(
    EXIT.refused,
    `--sale: the gateway does not know the sale ${saleId}: it does not exist, it is not loaded yet, or it was settled long ago`,
  );
}
