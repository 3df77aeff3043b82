import { ROUNDS_MAX } from '../../rain/campaign.ts';
import { readBought, recountBought, usersIn } from '../../store/bought.ts';
import type { OperatorContext } from '../context.ts';

/** Rounds times users per read, so that no purchase waits for it [R10]. */
const ENTRIES_AT_ONCE = 5_000;
const USERS_AT_ONCE = 500;
/** How often the count of a user is tried who buys meanwhile. */
const TRIES_MAX = 5;

/**
 * Counts what users hold in all sales of a campaign, before another one opens: Redis counts itself, but may have lost earlier sales or their
 * keys may have expired. Of these the ledger knows the orders; of the others Redis knows first. It may be repeated, also while people buy.
 */
export async function countBought({ redis, ledger }: Pick<OperatorContext, 'redis' | 'ledger'>, campaignId: string): Promise<void> {
  const saleIds = (await ledger.sales(ROUNDS_MAX, { campaignId })).map(({ id }) => id);
  if (saleIds.length === 0) return;
  const pageMax = Math.max(1, Math.min(USERS_AT_ONCE, Math.floor(ENTRIES_AT_ONCE / saleIds.length)));

  async function countUsers(users: readonly string[]): Promise<void> {
    for (let rest = users, tries = 0; rest.length > 0 && tries < TRIES_MAX; tries++) {
      const { counts, held } = await readBought(redis, saleIds, rest);
      // Which sales Redis has is known from the same moment as its counts.
      const booked = await ledger.unitsHeld(saleIds.filter((id) => !held.has(id)), { users: rest });
      const wrong = rest.flatMap((userId, i) => {
        const right = (booked.get(userId) ?? 0) + [...held.values()].reduce((sum, units) => sum + units[i]!, 0);
        return Number(counts[i] ?? 0) === right ? [] : [{ userId, found: counts[i] ?? '', right }];
      });
      rest = await recountBought(redis, saleIds[0]!, wrong);
    }
  }

  const inPages = async (users: readonly string[]) => {
    for (let at = 0; at < users.length; at += pageMax) await countUsers(users.slice(at, at + pageMax));
  };
  for (let after: string | undefined; ;) {
    const users = [...(await ledger.unitsHeld(saleIds, { after })).keys()];
    await inPages(users);
    if (users.length === 0) break;
    after = users.at(-1);
  }
  // Who has no order: reservations that are on their way, and counts of what was refunded after its sale had expired.
  for await (const users of usersIn(redis, saleIds)) await inPages(users);
}
