import { MultiBar, type SingleBar } from 'cli-progress';
import { setTimeout as sleep } from 'node:timers/promises';
import { createRain } from '../../operator/create.ts';
import { loadRain } from '../../operator/load.ts';
import { showRain, type RainView } from '../../operator/list.ts';
import { redisNow } from '../../store/rains.ts';
import { checkMoney } from '../../loadtest/report/verdict.ts';
import { runWave } from '../../loadtest/wave.ts';
import { accepted } from '../exit.ts';
import type { OpenContext } from '../context.ts';
import { lines, type Progress } from '../progress.ts';
import { auditBeside, swarmUsers } from '../swarmAudit.ts';
import type { Terminal } from '../terminal.ts';

interface Round {
  title: string;
  rehearsal?: boolean;
  budget: string;
  packets: number;
  bots: number;
  opensInMs?: number;
  durationMs: number;
  reactionMs?: { min: number; max: number };
  quiet?: boolean;
}

export interface RoundContext {
  terminal: Terminal;
  context: OpenContext;
  gatewayUrl: string;
  tokenFor: (userId: string) => Promise<string>;
  signal: AbortSignal;
}

export type Played = Awaited<ReturnType<typeof playRound>>;

/** How long the settlement may take after the end of the rain before the round counts as unfinished, ms. */
const SETTLE_MS_MAX = 60_000;
const POLL_MS = 250;

/** Runs one whole rain: creates and loads it, lets bots play over real sockets, waits until it is settled, audits it. */
export async function playRound({ terminal, context, gatewayUrl, tokenFor, signal }: RoundContext, round: Round) {
  const { durationMs, opensInMs = 3_000, reactionMs = { min: 100, max: Math.min(2_000, Math.max(200, durationMs / 2)) } } = round;
  const opensAt = await redisNow(context.redis) + opensInMs;
  const { rainId } = accepted(await createRain(context, {
    title: round.title, plan: { budget: round.budget, packets: round.packets, split: { method: 'double-mean' } }, opensAt, closesAt: opensAt + durationMs,
    ...(round.rehearsal && { terms: { rehearsal: true } }),
  }));
  accepted(await loadRain(context, rainId));

  const wave = new AbortController();
  const stopBots = AbortSignal.any([signal, wave.signal]);
  const playing = runWave({ url: gatewayUrl, rainId, users: round.bots, tokenFor, reactionMs, creditWaitMs: SETTLE_MS_MAX, signal: stopBots });
  playing.catch(() => {}); // Awaited below; until then a rejection must not end the process.
  const deadline = Date.now() + opensInMs + durationMs + SETTLE_MS_MAX;
  const watching = watchRain(context, rainId, deadline, signal, round.quiet ? undefined : showBars(terminal, round.packets));
  try {
    const last = await watching;
    const bots = await Promise.race([playing, sleep(5_000, undefined, { signal }).then(() => { wave.abort(); return playing; })]);
    const { audit, others } = await auditBeside(context, rainId, swarmUsers(round.bots));
    if (!audit || !others) throw new Error(`the ledger has no rain ${rainId}`);
    return { audit, bots, settled: last.state === 'settled', verdict: checkMoney(bots, audit.report, others) };
  } finally {
    wave.abort();
  }
}

/** @returns the last state: settled, unless the deadline passed */
async function watchRain(context: OpenContext, rainId: string, deadline: number, signal: AbortSignal, bars: Progress<[RainView]> | undefined): Promise<RainView> {
  try {
    for (;;) {
      const view = (await showRain(context, rainId))!;
      bars?.update(view);
      if (view.state === 'settled' || Date.now() > deadline) return view;
      await sleep(POLL_MS, undefined, { signal });
    }
  } finally {
    bars?.stop();
  }
}

/** Packets left, claims and credits: bars on a terminal, a line a second otherwise. */
function showBars({ stderr }: Terminal, packets: number): Progress<[RainView]> {
  if (!stderr.isTTY) return lines(stderr, ({ state, left, claims, credited }) => `${state}: ${left} packets left, ${claims} claims, ${credited} credits`);
  const multi = new MultiBar({ format: '{name} {bar} {value}/{total}', stream: stderr, hideCursor: true, clearOnComplete: false });
  const bars = (['packets left', 'claims      ', 'credits     '] as const).map((name): SingleBar => multi.create(packets, 0, { name }));
  return {
    update: ({ left, claims, credited }) => [left, claims, credited].forEach((value, i) => bars[i]!.update(value)),
    stop: () => multi.stop(),
  };
}
