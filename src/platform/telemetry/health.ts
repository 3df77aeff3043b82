import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { lastLine } from '../redis/unavailable.ts';
import { deadlineIn } from '../concurrency/deadline.ts';
import { startLoop } from '../concurrency/loop.ts';

/** A dependency without which the process cannot work. */
export interface Part {
  /** For the body of `/readyz`, e.g. `redis`. */
  name: string;
  /** Resolves when the part answers, rejects when it fails; needs no deadline of its own. */
  ask: () => Promise<unknown>;
}

interface NotReady {
  part: string;
  /** ISO time of the first failed check. */
  since: string;
  reason: string;
}

/** The body of `/readyz`. */
export type ReadinessReport = { ready: true } | { ready: false; notReady: NotReady[] };

/** Whether a process can work: the answer of `/readyz` and the metric `rain_ready`. */
export type Readiness = Awaited<ReturnType<typeof openReadiness>>;

export interface ReadinessOptions {
  parts: readonly Part[];
  /**
   * Pause between checks, and timeout of one, ms: together the longest time in which a load balancer gets a wrong
   * answer, below 3 s.
   */
  everyMs?: number;
  answerMsMax?: number;
  now?: () => number;
}

/**
 * If a check ends later than this after its timeout, our own event loop was blocked and the result means nothing, ms.
 */
const LOOP_DELAY_MS_MAX = 250;
/** During the opening, pause before a failed check is repeated, ms. */
const OPENING_MS = 20;
/** The part that is not ready while the process closes. */
const OPEN = 'open';

/**
 * Checks every part at intervals, so that a request to `/readyz` costs nothing. A part that does not answer counts as
 * unreachable: a frozen server accepts connections but sends nothing.
 *
 * Resolves when all parts have answered, or after `answerMsMax` with the missing ones; never rejects. After that it
 * never reports "ready" for an unchecked part, nor "not ready" for a connection that was only being opened.
 */
export async function openReadiness({ parts, everyMs = 500, answerMsMax = 1_500, now = Date.now }: ReadinessOptions) {
  const problems = new Map<string, NotReady>();
  const setProblem = (part: string, reason: string) => {
    problems.set(part, { part, since: problems.get(part)?.since ?? new Date(now()).toISOString(), reason });
  };

  /** While a check is pending, no second one starts: the connection pool must not fill up with health checks [R10]. */
  const pending = new Map<string, Promise<'answered'>>();

  async function checkPart({ name, ask }: Part, withinMs = answerMsMax): Promise<void> {
    const startedAt = performance.now();
    let check = pending.get(name);
    if (!check) {
      check = Promise.resolve()
        .then(ask)
        .then(() => 'answered' as const)
        .finally(() => pending.delete(name));
      check.catch(() => {});
      pending.set(name, check);
    }
    try {
      const result = await deadlineIn(withinMs).within(check);
      if (result === 'answered') problems.delete(name);
      else if (performance.now() - startedAt <= withinMs + LOOP_DELAY_MS_MAX)
        setProblem(name, `no answer within ${answerMsMax} ms`);
    } catch (error) {
      setProblem(name, withoutAddresses(lastLine(error)) || 'failed');
    }
  }

  const opening = deadlineIn(answerMsMax);
  await Promise.all(
    parts.map(async (part) => {
      setProblem(part.name, 'no answer yet');
      do await checkPart(part, opening.leftMs());
      while (problems.has(part.name) && opening.leftMs() > OPENING_MS && (await sleep(OPENING_MS, true)));
    }),
  );
  const rounds = parts.map((part) =>
    startLoop(async () => {
      await checkPart(part);
      return everyMs;
    }),
  );

  return {
    report: (): ReadinessReport =>
      problems.size === 0 ? { ready: true } : { ready: false, notReady: [...problems.values()] },
    /** The state of every part, and of `open`: whether the process still accepts work. */
    standing: () => [...parts.map(({ name }) => name), OPEN].map((part) => ({ part, ready: !problems.has(part) })),
    /** The process is closing: from now on it is not ready, whatever the state of its parts. */
    drain: () => setProblem(OPEN, 'closing: accepts no new work'),
    close: async () => void (await Promise.all(rounds.map((round) => round.close()))),
  };
}

/** `/readyz` is public. */
export function withoutAddresses(reason: string): string {
  return reason.replace(/\S+:\/\/\S+/g, '…').replace(/[\w.-]+:\d{2,5}/g, '…');
}

export function answerJson(response: ServerResponse, status: number, body: unknown): void {
  response
    .writeHead(status, { 'content-type': 'application/json', 'cache-control': 'no-store', connection: 'close' })
    .end(`${JSON.stringify(body)}\n`);
}
