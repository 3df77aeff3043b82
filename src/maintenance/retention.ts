import { formatMoney } from '../rain/money.ts';
import type { OperatorContext } from '../operator/context.ts';
import { eraseUser } from '../operator/personalData.ts';
import { startLoop, type Loop } from '../platform/concurrency/loop.ts';
import type { Logger } from '../platform/telemetry/log.ts';

const DAY_MS = 24 * 3_600_000;
/** Users per page, and the pause between pages and between two passes [R10]. */
const PAGE = 200;
const PAGE_PAUSE_MS = 1_000;
const PASS_PAUSE_MS = DAY_MS;
/** After a fault. */
const RETRY_MS = 60_000;

interface RetentionOptions {
  context: OperatorContext;
  /** A user of whom nothing was written for so long is erased. */
  days: number;
  log: Logger;
  now?: () => number;
  pagePauseMs?: number;
  page?: number;
}

/**
 * Erases users of whom nothing was written for the given number of days, as `rain user erase` does, page by page, once
 * a day. Several processes may run it: who comes second finds nobody. Users who are blocked stay.
 */
export function startRetention({
  context,
  days,
  log,
  now = Date.now,
  pagePauseMs = PAGE_PAUSE_MS,
  page = PAGE,
}: RetentionOptions): Loop {
  let place: Awaited<ReturnType<typeof context.ledger.inactiveUsers>>['next'];
  let failing = false;

  async function erase(id: string): Promise<void> {
    const done = await eraseUser(context, id, { balance: formatMoney(await context.ledger.balance(id)) });
    if (!done.ok) log.info({ reason: done.refusals[0]!.reason }, 'a user whose data is old cannot be erased yet');
  }

  return startLoop(async (signal) => {
    try {
      const { users, next } = await context.ledger.inactiveUsers({ before: now() - days * DAY_MS, place, limit: page });
      for (const id of users) {
        if (signal.aborted) return 0;
        await erase(id);
      }
      if (users.length > 0) log.info({ users: users.length }, 'users whose data is old were looked at');
      failing = false;
      place = next;
      return next ? pagePauseMs : PASS_PAUSE_MS;
    } catch (error) {
      if (!failing) log.warn({ error: String(error) }, 'users whose data is old cannot be erased, will try again');
      failing = true;
      return RETRY_MS;
    }
  });
}
