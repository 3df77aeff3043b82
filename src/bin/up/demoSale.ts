import { runSaleSwarm } from '../../loadtest/sale/swarm.ts';
import { checkSale } from '../../loadtest/sale/verdict.ts';
import { createSale } from '../../operator/sale/create.ts';
import { openSale } from '../../operator/sale/open.ts';
import { showSale, type SaleView } from '../../operator/sale/show.ts';
import type { Item } from '../../sale/item.ts';
import { redisNow } from '../../store/rains.ts';
import { accepted } from '../exit.ts';
import { auditSaleBeside, swarmUsers } from '../swarmAudit.ts';
import type { RoundContext } from './demo.ts';
import { progressOf, soon, untilSettled } from './watch.ts';

interface SaleRound {
  title: string;
  items: readonly Item[];
  buyers: number;
  opensInMs?: number;
  durationMs: number;
  holdMs: number;
  /** When buyers come after the opening. */
  reactionMs: { min: number; max: number };
  quiet?: boolean;
}

export interface SaleContext extends RoundContext {
  /** Where buyers pay. */
  payUrl: string;
}

export type PlayedSale = Awaited<ReturnType<typeof playSale>>;

/** The others never pay. */
const SHARES = { pay: 0.7, cancel: 0.1, repeat: 0.2, hostile: 0.05 };
const PER_USER_MAX = 2;

/**
 * Runs one whole sale: creates and opens it, lets bots buy over real sockets and pay, waits until it is settled, audits
 * it.
 */
export async function playSale(
  { terminal, context, gatewayUrl, payUrl, tokenFor, signal }: SaleContext,
  round: SaleRound,
) {
  const { title, items, buyers, opensInMs = 3_000, durationMs, holdMs, reactionMs } = round;
  const opensAt = (await redisNow(context.redis)) + opensInMs;
  const { saleId } = accepted(
    await createSale(context, {
      title,
      items: [...items],
      perUserMax: PER_USER_MAX,
      holdMs,
      opensAt,
      closesAt: opensAt + durationMs,
    }),
  );
  accepted(await openSale(context, saleId));

  const wave = new AbortController();
  const playing = runSaleSwarm({
    url: gatewayUrl,
    saleId,
    users: buyers,
    shares: SHARES,
    payUrl,
    tokenFor,
    userId: (i) => `bot-${i}`,
    reactionMs,
    settleMs: holdMs,
    signal: AbortSignal.any([signal, wave.signal]),
  });
  playing.catch(() => {}); // Awaited below; until then a rejection must not end the process.
  try {
    const settled = await untilSettled({
      look: async () => (await showSale(context, saleId))!,
      withinMs: opensInMs + durationMs + holdMs,
      signal,
      progress: round.quiet
        ? undefined
        : progressOf<SaleView>(terminal, sum(items, 'units'), [
            ['units left', (view) => sum(view.items, 'left')],
            ['reserved', (view) => sum(view.items, 'reserved')],
            ['sold', (view) => sum(view.items, 'sold')],
          ]),
    });
    const bots = await soon(playing, wave, signal);
    const beside = await auditSaleBeside(
      context,
      saleId,
      swarmUsers(buyers),
      bots.orders.map(({ reservationId }) => reservationId),
    );
    if (!beside) throw new Error(`the ledger has no sale ${saleId}`);
    return { audit: beside.audit, bots, settled, verdict: checkSale(bots, beside.checked) };
  } finally {
    wave.abort();
  }
}

function sum<Part extends string>(items: readonly Record<Part, number>[], part: Part): number {
  return items.reduce((total, item) => total + item[part], 0);
}
