import { roundOf } from '../../src/rain/campaign.ts';
import type { ItemEquation } from '../../src/sale/equation.ts';
import { holdsUnits, type OrderStatus } from '../../src/sale/order.ts';
import { parseReservation } from '../../src/sale/reservation.ts';
import { saleKeys } from '../../src/store/saleKeys.ts';
import { parseHeld } from '../../src/store/sales.ts';
import type { TestContext } from '../support/operatorContext.ts';

interface Sample {
  equations: ItemEquation[];
  /** States that cannot be at any moment, whatever is under way. */
  problems: string[];
}

const RANK: Readonly<Record<OrderStatus, number>> = {
  reserved: 0,
  created: 1,
  paid: 2,
  cancelled: 3,
  timed_out: 3,
  failed: 3,
  refunded: 3,
};

/** Redis in one moment, then the ledger in one moment: whatever Redis has, the ledger has by then, or it is pending. */
export async function sampleSale(
  { redis, ledger }: Pick<TestContext, 'redis' | 'ledger'>,
  saleId: string,
): Promise<Sample> {
  if (roundOf(saleId)) throw new TypeError('not for a sale of a campaign');
  const keys = saleKeys(saleId);
  const [stock, buyers, log] = (await redis
    .multi()
    .hgetall(keys.stock)
    .hgetall(keys.buyers)
    .lrange(keys.reservations, 0, -1)
    .exec())!.map(([, reply]) => reply) as [Record<string, string>, Record<string, string>, string[]];
  const booked = await ledger.stock(saleId);
  const written = new Map((await ledger.orders({ saleId }, 100_000)).map((order) => [order.id, order]));
  const problems: string[] = [];
  const check = (holds: boolean, problem: string) => {
    if (!holds) problems.push(problem);
  };

  const held = Object.entries(buyers).flatMap(([userId, entry]) =>
    parseHeld(entry)!.map((one) => ({ userId, ...one })),
  );
  const reservations = log.map((entry) => {
    const parsed = parseReservation(entry);
    if (!parsed.ok) throw new Error(parsed.reason);
    return parsed.reservation;
  });
  check(
    held.length === reservations.length,
    `${held.length} reservations of buyers, but ${reservations.length} in the log`,
  );
  for (const { ordinal, status } of held) {
    const order = written.get(`${saleId}-${ordinal}`);
    check(
      RANK[status] <= RANK[order?.status ?? 'reserved'],
      `Redis is ahead of the ledger: ${saleId}-${ordinal} is ${status} there, but ${order?.status} here`,
    );
  }
  const pendingIds = new Set(
    reservations.filter(({ reservationId }) => !written.has(reservationId)).map(({ reservationId }) => reservationId),
  );
  const equations = booked.map(({ sku, units, accounts, transfers, created, paid }): ItemEquation => {
    const sum = (of: typeof held) =>
      of.filter((one) => one.sku === sku).reduce((total, one) => total + one.quantity, 0);
    const here = (field: string) => Number(stock[`${sku}:${field}`] ?? 0);
    check(JSON.stringify(accounts) === JSON.stringify(transfers), `${sku}: accounts and transfers differ`);
    check(accounts.reserved === created && accounts.sold === paid, `${sku}: the accounts are not those of the orders`);
    check(
      here('booked') === sum(held.filter(({ status }) => holdsUnits(status))),
      `${sku}: booked is not what the buyers hold`,
    );
    check(here('sold') === sum(held.filter(({ status }) => status === 'paid')), `${sku}: sold is not what was paid`);
    check(
      here('booked') >= here('sold') && here('booked') + here('returned') <= here('units') && here('returned') >= 0,
      `${sku}: oversold in Redis`,
    );
    const pending = reservations.reduce(
      (total, one) => total + (one.sku === sku && pendingIds.has(one.reservationId) ? one.quantity : 0),
      0,
    );
    return {
      sku,
      units,
      sold: accounts.sold,
      reserved: accounts.reserved,
      pending,
      left: accounts.available - pending,
      returned: units + accounts.shop,
    };
  });
  return { equations, problems };
}
