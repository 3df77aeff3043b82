import { forget } from '../grab/phases.ts';
import { liveRains, readRain, settledRains, type LiveRain } from '../grab/reading.ts';
import type { Logger } from '../runtime/log.ts';
import type { Desk } from './desk.ts';
import { settleRain } from './settle.ts';

export interface SettlerOptions {
  desk: Desk;
  /** Sends all claims of a rain to the queue once more; harmless by [R5]. */
  resend: (rainId: string, shard: number, live: LiveRain) => Promise<void>;
  log: Logger;
  everyMs?: number;
  /** How long claims of a closed rain may be missing from the book before they are sent again, ms. */
  patienceMs?: number;
}

const TIDY_MS = 60_000;

/** Looks after all rains past their end until closed. A fault of one look is logged and the next look tries again. */
export function startSettler({ desk, resend, log, everyMs = 500, patienceMs = 15_000 }: SettlerOptions): { close(): Promise<void> } {
  const waitingSince = new Map<string, number>();
  let tidiedAt = 0;
  let closed = false;
  let wake = () => {};

  async function look(): Promise<void> {
    for (const [rainId, live] of await liveRains(desk.redis)) {
      if (closed) return;
      const result = await settleRain(desk, rainId, live);
      if (result.outcome !== 'waiting') waitingSince.delete(rainId);
      if (result.outcome === 'lost') log.error({ rainId }, 'Redis has lost a rain that was not settled');
      if (result.outcome === 'does_not_add_up') log.error({ rainId, problems: result.problems }, 'the rain does not add up and is not settled');
      if (result.outcome !== 'waiting') continue;
      const since = waitingSince.get(rainId) ?? Date.now();
      waitingSince.set(rainId, since);
      if (Date.now() - since < patienceMs) continue;
      log.warn({ rainId, pending: result.pending }, 'claims are missing from the book, sending all of them again');
      waitingSince.set(rainId, Date.now());
      for (let shard = 0; shard < live.shards; shard++) await resend(rainId, shard, live);
    }
    if (Date.now() - tidiedAt > TIDY_MS) await tidy();
  }

  /** Rains whose keys have expired need no index entry any more. */
  async function tidy(): Promise<void> {
    for (const [rainId, settled] of await settledRains(desk.redis)) {
      if (!await readRain(desk.redis, rainId, settled)) await forget(desk.redis, rainId);
    }
    tidiedAt = Date.now();
  }

  const done = (async () => {
    while (!closed) {
      await look().catch((error: unknown) => log.error({ err: error }, 'settling failed, will try again'));
      await new Promise<void>((resolve) => {
        wake = resolve;
        if (closed) resolve();
        else setTimeout(resolve, everyMs);
      });
    }
  })();
  return {
    async close() {
      closed = true;
      wake();
      await done;
    },
  };
}
