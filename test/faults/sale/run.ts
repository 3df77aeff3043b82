import { setTimeout as sleep } from 'node:timers/promises';
import { createSale } from '../../../src/operator/sale/create.ts';
import { endSale } from '../../../src/operator/sale/transitions.ts';
import { openSale } from '../../../src/operator/sale/open.ts';
import type { OperatorContext } from '../../../src/operator/context.ts';
import { redisNow } from '../../../src/store/rains.ts';
import { saleKeys } from '../../../src/store/saleKeys.ts';
import { eventually } from '../../support/eventually.ts';
import type { Deployment } from '../deployment.ts';
import { chance, type Chance } from '../means/chance.ts';
import type { RunResult } from '../recovery.ts';
import type { Run } from '../run.ts';
import { HonestBuyers } from '../users/honestBuyers.ts';
import { startShop, type CallBack } from './shop.ts';
import { checkSale } from './verdict.ts';

export const UNITS = 60;
export const PRICE = '19.90';
export const BUYERS = 100;
const GROUPS = 20;
const HOLD_MS = 2_500;
/**
 * So long orders wait where somebody has to act before they time out, also when a worker has just started on a busy
 * machine.
 */
export const LONG_HOLD_MS = 8_000;
/** On a busy machine nothing may be sold for seconds; the sale is ended when everybody has an answer. */
const WINDOW_MS = 30_000;
const ARRIVALS_MS = 3_000;
const ANSWERED_WITHIN_MS = 30_000;
const SETTLED_WITHIN_MS = 60_000;

/** The context of a fault in a sale. */
interface SaleScene extends Deployment {
  saleId: string;
  random: Chance;
  buyers: HonestBuyers;
}

export interface SaleFaultOptions {
  /** When it strikes; default: in the first second, while people buy. */
  when?: 'swing' | 'end';
  prepare?: (deployment: Deployment, saleId: string) => Promise<void> | void;
  /** How the shop reports; default: as the ledger does a step. */
  callBack?: CallBack;
  /** How long an order waits for its payment. */
  holdMs?: number;
}

/** Breaks something; what the settlement needs it restarts itself. @returns when it struck, epoch ms, if not at once */
export type SaleStrike = (scene: SaleScene) => Promise<number | void>;

/** A sale of sixty tees, one for each of a hundred buyers. @returns epoch ms of its opening and end by Redis's clock */
export async function openFaultSale(
  context: OperatorContext,
  saleId: string,
  { opensInMs = 300, windowMs = WINDOW_MS, holdMs = HOLD_MS } = {},
): Promise<void> {
  const opensAt = (await redisNow(context.redis)) + opensInMs;
  const created = await createSale(context, {
    id: saleId,
    items: [{ sku: 'tee', units: UNITS, price: PRICE }],
    holdMs,
    opensAt,
    closesAt: opensAt + windowMs,
  });
  if (!created.ok) throw new Error(JSON.stringify(created.refusals));
  const opened = await openSale(context, saleId);
  if (!opened.ok) throw new Error(JSON.stringify(opened.refusals));
}

/** By their numbers from 0. */
export const buyerOf = (saleId: string, number: number) => `${saleId}-u${number}`;

/** The buyers come in groups, so that some are buying whenever the fault strikes. */
export async function arrive(saleId: string, buyers: HonestBuyers): Promise<void> {
  for (let group = 0; group < GROUPS; group++) {
    buyers.wish(Array.from({ length: BUYERS / GROUPS }, (_, i) => buyerOf(saleId, (group * BUYERS) / GROUPS + i)));
    await sleep(ARRIVALS_MS / GROUPS);
  }
}

/** One sale with a fault: it is settled by the system itself, and then every answer is compared with the ledger. */
export async function playSaleRun(
  deployment: Deployment,
  { name, rainId: saleId }: Run,
  strike: SaleStrike,
  { when = 'swing', prepare, callBack = deployment.context.ledger, holdMs = HOLD_MS }: SaleFaultOptions,
): Promise<RunResult> {
  const { context } = deployment;
  const random = chance(name);
  await prepare?.(deployment, saleId);
  await openFaultSale(context, saleId, { holdMs });
  const buyers = new HonestBuyers(deployment.gatewayUrls, saleId);
  const shop = startShop(callBack, saleId, buyers);
  const opensAt = Date.now();
  let endedAt = 0;
  /** When everybody is answered, an operator ends the sale. */
  async function end(): Promise<void> {
    await eventually(() => buyers.unanswered().length === 0, { timeoutMs: ANSWERED_WITHIN_MS }).catch(() => {});
    await eventually(async () => (await endSale(context, saleId)).ok, { timeoutMs: ANSWERED_WITHIN_MS, everyMs: 200 });
    endedAt = Date.now();
  }
  try {
    const ended = arrive(saleId, buyers).then(end);
    ended.catch(() => {});
    if (when === 'swing') {
      await eventually(() => buyers.told().length > 0, { timeoutMs: WINDOW_MS });
      await random.pause(0, 1_200);
    }
    const calledAt = Date.now();
    const struckAt = (await strike({ ...deployment, saleId, random, buyers })) ?? calledAt;
    await ended;
    const state = () => context.redis.hget(saleKeys(saleId).state, 'state');
    const isSettled = async () =>
      (await context.ledger.sale(saleId))?.settledAt !== undefined && (await state()) === 'settled';
    const settled = await eventually(isSettled, { timeoutMs: SETTLED_WITHIN_MS }).then(
      () => true,
      () => false,
    );
    const settledAt = Date.now();
    await deployment.heal();
    await shop.close();
    const verdict = await checkSale(context, { saleId, units: UNITS, price: PRICE, buyers });
    return {
      ...verdict,
      problems: [
        ...deployment.accidents(),
        ...buyers.unanswered().map((userId) => `${userId} never got an answer`),
        ...(settled ? [] : [`not settled within ${SETTLED_WITHIN_MS / 1_000} s`]),
        ...(await shop.check()),
        ...verdict.problems,
      ],
      recoverySeconds: recoverySeconds(buyers, struckAt, Math.max(struckAt, endedAt + holdMs), settledAt),
      struck: `${struckAt - opensAt} ms after the opening`,
    };
  } finally {
    await shop.close();
    await buyers.leave();
    await deployment.heal();
  }
}

/**
 * The longest wait after the fault, seconds: from a told reservation to its told order, or from when the sale could be
 * settled to its settlement.
 */
function recoverySeconds(buyers: HonestBuyers, struckAt: number, endedAt: number, settledAt: number): number {
  const waits = buyers.told().map(({ at, createdAt = at }) => createdAt - Math.max(at, struckAt));
  return Math.max(0, settledAt - endedAt, ...waits) / 1_000;
}
