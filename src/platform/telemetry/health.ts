import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { lastLine } from '../redis/unavailable.ts';
import { deadlineIn } from '../concurrency/deadline.ts';
import { startLoop } from '../concurrency/loop.ts';

/** One thing that a process cannot do its work without. */
export interface Part {
  /** For the body of `/readyz`, e.g. `redis`. */
  name: string;
  /** Resolves when it answers, rejects when it does not; whether in time is watched here. */
  ask: () => Promise<unknown>;
}

interface NotReady {
  part: string;
  /** ISO time since when, as far as we know. */
  since: string;
  reason: string;
}

/** The body of `/readyz`. */
export type ReadinessReport = { ready: true } | { ready: false; notReady: NotReady[] };

/** Whether a process can do its work: what `/readyz` says, and `rain_ready` among the figures. */
export interface Readiness {
  report(): ReadinessReport;
  /** 1 or 0 for every part, and for `open`: whether work is still taken. */
  standing(): { part: string; ready: boolean }[];
  /** The process is closing: from now on it is not ready, whatever its parts say. */
  drain(): void;
  close(): Promise<void>;
}

export interface ReadinessOptions {
  parts: readonly Part[];
  everyMs?: number;
  /** For one answer. With `everyMs` below three seconds together: so long may a load balancer be told something wrong. */
  answerMsMax?: number;
  now?: () => number;
}

/** Where the moment was missed by more than this it is we who did not listen: nothing is known then. */
const DEAF_MS = 250;
/** While it opens, a part that is not there yet is asked again after so long. */
const OPENING_MS = 20;
/** The part of a process that closes. */
const OPEN = 'open';

/**
 * Asks every part now and then, so that a question about health costs nothing and cannot be used to ask Redis often. A part
 * that keeps silent is as bad as one that is away: a frozen server accepts connections and says nothing.
 *
 * Resolves when all have answered, or after `answerMsMax` with what is missing; never rejects. Whoever waits for it never
 * says "ready" of a part that nobody has asked, nor "not ready" of a connection that was only being opened.
 */
export async function openReadiness({ parts, everyMs = 500, answerMsMax = 1_500, now = Date.now }: ReadinessOptions): Promise<Readiness> {
  const troubles = new Map<string, NotReady>();
  const trouble = (part: string, reason: string) => troubles.set(part, { part, since: troubles.get(part)?.since ?? new Date(now()).toISOString(), reason });

  /** A question that is not answered yet is waited for on: a pool of connections is not filled with questions about its health [R10]. */
  const asked = new Map<string, Promise<'answered'>>();

  function put({ name, ask }: Part): Promise<'answered'> {
    const before = asked.get(name);
    if (before) return before;
    const question = Promise.resolve().then(ask).then(() => 'answered' as const).finally(() => asked.delete(name));
    question.catch(() => {});
    asked.set(name, question);
    return question;
  }

  async function look(part: Part, withinMs = answerMsMax): Promise<void> {
    const { name } = part;
    const lookedAt = performance.now();
    try {
      const heard = await deadlineIn(withinMs).within(put(part));
      if (heard === 'answered') troubles.delete(name);
      else if (performance.now() - lookedAt <= withinMs + DEAF_MS) trouble(name, `no answer within ${answerMsMax} ms`);
    } catch (error) {
      trouble(name, reasonOf(error));
    }
  }

  const opening = deadlineIn(answerMsMax);
  await Promise.all(parts.map(async (part) => {
    trouble(part.name, 'no answer yet');
    do await look(part, opening.leftMs()); while (troubles.has(part.name) && opening.leftMs() > OPENING_MS && await sleep(OPENING_MS, true));
  }));
  const rounds = parts.map((part) => startLoop(async () => {
    await look(part);
    return everyMs;
  }));

  return {
    report: () => (troubles.size === 0 ? { ready: true } : { ready: false, notReady: [...troubles.values()] }),
    standing: () => [...parts.map(({ name }) => name), OPEN].map((part) => ({ part, ready: !troubles.has(part) })),
    drain: () => void trouble(OPEN, 'closing: takes nothing new'),
    close: async () => void await Promise.all(rounds.map((round) => round.close())),
  };
}

/** Nobody's address is named, since anybody may ask. */
function reasonOf(error: unknown): string {
  return lastLine(error).replace(/\S+:\/\/\S+/g, '…').replace(/[\w.-]+:\d{2,5}/g, '…') || 'failed';
}

export function answerJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json', 'cache-control': 'no-store', connection: 'close' }).end(`${JSON.stringify(body)}\n`);
}
