import { setTimeout as sleep } from 'node:timers/promises';
import { SHOP_REFUSALS } from '../../console/refusals.ts';
import { DEMO_PAY_PATH } from '../../console/shop/demo.ts';
import type { Shutdown } from '../../platform/process/shutdown.ts';
import { signToken } from '../../platform/auth/token.ts';
import { figure } from '../../rain/figures.ts';
import { EXIT, print, notify } from '../exit.ts';
import { describeReport } from '../auditText.ts';
import { openContext } from '../context.ts';
import type { Terminal } from '../terminal.ts';
import { describeAudit } from '../commands/sale/audit.ts';
import { playRound, type Played } from './demo.ts';
import { playSale, type PlayedSale, type SaleContext } from './demoSale.ts';
import { FIRST_OPERATOR, PASSWORD_KEPT, patienceOf, startSystem } from './system.ts';

export interface UpOptions {
  demo: boolean;
  /** Absent: both. */
  only?: 'rain' | 'sale';
  once?: boolean;
  json?: boolean;
  cluster?: boolean;
  /** The title of an event. */
  event?: string;
  consoleOnLan?: boolean;
  participants?: boolean;
  /** These four have other defaults with `cluster`. */
  bots?: number;
  packets?: number;
  budget?: string;
  /** ms */
  duration?: number;
}

/** Time to open the page and play along. */
const FIRST_RAIN_IN_MS = 15_000;

const DEMO = { bots: 500, packets: 200, budget: '100.00', duration: 5_000 };

/** As the simulated buyers count a payment that the shop has to pay back. */
const LATE_PAYMENT = `refused_${SHOP_REFUSALS.pay_back.status}`;

const BOT_TOKEN_SECONDS = 3_600;

/**
 * Starts all servers, plays the demo rain and the demo sale, and continues to serve. It returns only with `--no-demo`,
 * when all servers are open.
 */
export async function up(terminal: Terminal, options: UpOptions, shutdown: Shutdown): Promise<void> {
  const system = await startSystem(terminal, shutdown, { demo: options.demo });
  notify(
    terminal,
    `page     ${system.pageUrl}\nconsole  ${system.consoleUrl}/console/  ${signInAs(system)}\ngateway  ${system.gatewayUrl}`,
  );
  if (!options.demo) return notify(terminal, 'serving until Ctrl-C');
  const context = await openContext(
    { REDIS_URL: system.redisUrl, DATABASE_URL: system.databaseUrl, SIGNING_SECRET: system.signingSecret },
    'demo',
    patienceOf(terminal),
  );
  shutdown.onClose('console', () => context.close());
  const demo: SaleContext = {
    terminal,
    context,
    gatewayUrl: system.gatewayUrl,
    payUrl: new URL(DEMO_PAY_PATH, system.pageUrl).href,
    signal: shutdown.signal,
    tokenFor: (sub) => signToken(system.jwtSecret, { sub, expiresInSeconds: BOT_TOKEN_SECONDS }),
  };
  if (!options.once && options.only !== 'sale')
    notify(terminal, `the first rain opens in ${FIRST_RAIN_IN_MS / 1_000} s: open the page, and catch a packet`);
  const rain = options.only === 'sale' ? undefined : await playFirstRain(demo, options);
  const sale = options.only === 'rain' ? undefined : await playFirstSale(demo, options);
  if (options.once)
    return void (await shutdown.end(
      [rain, sale].every((played) => !played || (played.settled && played.verdict.balanced)) ? EXIT.done : EXIT.refused,
    ));
  const next = [
    ...(rain ? ['a new rain opens about every half minute'] : []),
    ...(sale ? ['a new sale about every minute and a half'] : []),
  ].join(', ');
  notify(terminal, `\nOpen ${system.pageUrl} and play; ${next}. Ctrl-C stops everything.`);
  await Promise.all([rain && playMoreRains(demo), sale && playMoreSales(demo)]);
}

function signInAs({ password, ownDatabase }: Awaited<ReturnType<typeof startSystem>>): string {
  if (password !== undefined) return `${FIRST_OPERATOR} / ${password}`;
  return ownDatabase ? PASSWORD_KEPT : '(add operators with: rain operator add)';
}

async function playFirstRain(
  demo: SaleContext,
  { once, json, budget = DEMO.budget, packets = DEMO.packets, bots = DEMO.bots, duration = DEMO.duration }: UpOptions,
): Promise<Played> {
  const played = await playRound(demo, {
    title: 'Demo',
    budget,
    packets,
    bots,
    durationMs: duration,
    ...(!once && { opensInMs: FIRST_RAIN_IN_MS }),
  });
  report(demo.terminal, json, { ...played, text: describeReport(played.audit.report), what: 'rain', who: 'users' });
  return played;
}

/** Bots come until shortly before the end, so that what others have cancelled or not paid for is sold again. */
async function playFirstSale(demo: SaleContext, { json, bots = DEMO.bots }: UpOptions): Promise<PlayedSale> {
  const items = [
    { sku: 'tee', name: 'T-shirt', units: 60, price: '19.90', listPrice: '39.90' },
    { sku: 'mug', name: 'Mug', units: 40, price: '9.90', listPrice: '19.90' },
  ];
  const played = await playSale(demo, {
    title: 'Demo sale',
    items,
    buyers: bots,
    durationMs: 9_000,
    holdMs: 4_000,
    reactionMs: { min: 100, max: 8_000 },
  });
  report(demo.terminal, json, { ...played, text: describeAudit(played.audit), what: 'sale', who: 'buyers' });
  const late = played.bots.payments.results.find(({ name }) => name === LATE_PAYMENT)?.count;
  if (late !== undefined)
    notify(
      demo.terminal,
      `${figure(late)} of their payments came after the units were released, as happens with a slow shop: the console lists them under Dead letters, of sales.`,
    );
  return played;
}

interface Reported {
  audit: { report: unknown; problems: readonly string[] };
  bots: { users: number };
  settled: boolean;
  verdict: { sentence: string };
  text: string;
  what: string;
  who: string;
}

function report(
  terminal: Terminal,
  json: boolean | undefined,
  { audit, bots, settled, verdict, text, what, who }: Reported,
): void {
  notify(terminal, `\n${bots.users} simulated ${who}. ${verdict.sentence}`);
  if (!settled) notify(terminal, `The ${what} was not settled in time.`);
  for (const problem of audit.problems) notify(terminal, problem);
  if (json) notify(terminal, text);
  print(terminal, json, audit.report, text);
}

/** Small rains with slow bots, so that a user who opens the page later can still win. */
async function playMoreRains(demo: SaleContext): Promise<void> {
  for (let round = 2; !demo.signal.aborted; round++) {
    const { audit, verdict } = await playRound(demo, {
      title: `Demo ${round}`,
      budget: '66.00',
      packets: 40,
      bots: 20,
      opensInMs: 10_000,
      durationMs: 15_000,
      reactionMs: { min: 500, max: 14_000 },
      quiet: true,
    });
    const { report: result } = audit;
    notify(
      demo.terminal,
      result.winners === 0
        ? `round ${round}: ${verdict.sentence}`
        : `round ${round}: ${result.winners} winners, ${result.credited} credited, ${result.recycled} recycled, ${result.balanced ? 'adds up' : 'DOES NOT ADD UP'}`,
    );
    await sleep(3_000, undefined, { signal: demo.signal });
  }
}

/** Small sales with few bots, so that a user who opens the page later can still buy, and has the time to pay. */
async function playMoreSales(demo: SaleContext): Promise<void> {
  for (let round = 2; !demo.signal.aborted; round++) {
    const { audit } = await playSale(demo, {
      title: `Demo sale ${round}`,
      items: [
        { sku: 'tee', name: 'T-shirt', units: 20, price: '19.90', listPrice: '39.90' },
        { sku: 'mug', name: 'Mug', units: 20, price: '9.90', listPrice: '19.90' },
      ],
      buyers: 10,
      opensInMs: 10_000,
      durationMs: 40_000,
      holdMs: 30_000,
      reactionMs: { min: 500, max: 39_000 },
      quiet: true,
    });
    const { report: result } = audit;
    notify(
      demo.terminal,
      `sale ${round}: ${result.orders} orders of ${result.buyers} buyers, ${result.items.reduce((units, { sold }) => units + sold, 0)} units sold, ${result.balanced ? 'adds up' : 'DOES NOT ADD UP'}`,
    );
    await sleep(3_000, undefined, { signal: demo.signal });
  }
}
