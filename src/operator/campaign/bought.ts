import { ROUNDS_MAX } from '../../rain/campaign.ts';
import { EXCLUDED_UNITS, knowsAnySale, readBought, recountBought, usersIn } from '../../store/bought.ts';
import type { OperatorContext } from '../context.ts';

type Stores = Pick<OperatorContext, 'redis' | 'ledger'>;

/** Rounds times users per read, so that no purchase waits for it [R10]. */
const ENTRIES_AT_ONCE = 5_000;
const USERS_AT_ONCE = 500;
/** How often the count of a user is tried who buys meanwhile. */
const TRIES_MAX = 5;

/**
 * Counts what users hold in all sales of a campaign, before another one opens: Redis counts itself, but may have lost
 * earlier sales or their keys may have expired. The ledger knows the orders of these; Redis knows first about the
 * others. An excluded user counts as holding more than anybody may. It may be repeated, also while people buy.
 */
export async function countBought(context: Stores, campaignId: string): Promise<void> {
  const saleIds = (await context.ledger.sales(ROUNDS_MAX, { campaignId })).map(({ id }) => id);
  if (saleIds.length === 0) return;
  for (let after: string | undefined; ;) {
    const users = [...(await context.ledger.unitsHeld(saleIds, { after })).keys()];
    await countUsers(context, campaignId, saleIds, users);
    if (users.length === 0) break;
    after = users.at(-1);
  }
  await countExcluded(context, campaignId, saleIds);
  // Users without an order: their reservations are on their way, or were refunded after their sale had expired.
  for await (const users of usersIn(context.redis, saleIds)) await countUsers(context, campaignId, saleIds, users);
}

/**
 * Tells Redis who is excluded, as long as it has a sale that is not settled. The ledger has it already, so a sale that
 * is opened meanwhile knows it, too.
 */
export async function enlistExcludedInSales(context: Stores, campaignId: string): Promise<void> {
  const sales = await context.ledger.sales(ROUNDS_MAX, { campaignId });
  if (
    !(await knowsAnySale(
      context.redis,
      sales.flatMap(({ id, settledAt }) => (settledAt === undefined ? [id] : [])),
    ))
  )
    return;
  await countExcluded(
    context,
    campaignId,
    sales.map(({ id }) => id),
  );
}

async function countExcluded(context: Stores, campaignId: string, saleIds: readonly string[]): Promise<void> {
  for (let after: string | undefined; ;) {
    const users = await context.ledger.exclusions(campaignId, after, USERS_AT_ONCE);
    if (users.length === 0) return;
    await countUsers(context, campaignId, saleIds, users);
    after = users.at(-1);
  }
}

/** In pages. */
async function countUsers(
  context: Stores,
  campaignId: string,
  saleIds: readonly string[],
  users: readonly string[],
): Promise<void> {
  const pageMax = Math.max(1, Math.min(USERS_AT_ONCE, Math.floor(ENTRIES_AT_ONCE / saleIds.length)));
  for (let at = 0; at < users.length; at += pageMax)
    await countPage(context, campaignId, saleIds, users.slice(at, at + pageMax));
}

async function countPage(
  { redis, ledger }: Stores,
  campaignId: string,
  saleIds: readonly string[],
  users: readonly string[],
): Promise<void> {
  for (let rest = users, tries = 0; rest.length > 0 && tries < TRIES_MAX; tries++) {
    const { counts, held } = await readBought(redis, saleIds, rest);
    // Which sales Redis has is known from the same moment as its counts.
    const booked = await ledger.unitsHeld(
      saleIds.filter((id) => !held.has(id)),
      { users: rest },
    );
    // After the counts: who is excluded in between is told to Redis afterwards, and the count is another one by then.
    const excluded = await ledger.exclusionsAmong(campaignId, rest);
    const wrong = rest.flatMap((userId, i) => {
      const right =
        (excluded.has(userId) ? EXCLUDED_UNITS : 0) +
        (booked.get(userId) ?? 0) +
        [...held.values()].reduce((sum, units) => sum + units[i]!, 0);
      return Number(counts[i] ?? 0) === right ? [] : [{ userId, found: counts[i] ?? '', right }];
    });
    rest = await recountBought(redis, saleIds[0]!, wrong);
  }
}
