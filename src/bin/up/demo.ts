import { MultiBar, type SingleBar } from 'cli-progress';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Audit } from '../../operator/audit.ts';
import { createRain } from '../../operator/create.ts';
import { loadRain } from '../../operator/load.ts';
import { showRain, type RainView } from '../../operator/list.ts';
import { redisNow } from '../../store/rains.ts';
import type { Share } from '../../rain/equation.ts';
import type { SwarmReport } from '../../loadtest/report/report.ts';
import { runWave } from '../../loadtest/wave.ts';
import { accepted, notify } from '../exit.ts';
import type { OpenContext } from '../context.ts';
import { auditBeside, swarmUsers } from '../swarmAudit.ts';
import type { Terminal } from '../terminal.ts';

interface Round {
  title: string;
  /** Uses test money. */
  rehearsal?: boolean;
  budget: string;
  packets: number;
  bots: number;
  /** Time until the rain opens, and how long it is open, ms. */
  opensInMs: number;
  durationMs: number;
  /** Reaction time of a bot, ms. */
  reactionMs: { min: number; max: number };
  /** Show bars on a terminal, lines otherwise. */
  progress: boolean;
}

export interface RoundContext {
  terminal: Terminal;
  context: OpenContext;
  gatewayUrl: string;
  tokenFor: (userId: string) => Promise<string>;
  signal: AbortSignal;
}

export interface Played {
  audit: Audit;
  /** Packets won by users other than the bots. */
  others: Share;
  bots: SwarmReport;
  settled: boolean;
}

/** How long the settlement may take after the end of the rain before the round counts as unfinished, ms. */
const SETTLE_MS_MAX = 60_000;
const POLL_MS = 250;

/** Runs one whole rain: creates and loads it, lets bots play over real sockets, waits until it is settled, audits it. */
export async function playRound({ terminal, context, gatewayUrl, tokenFor, signal }: RoundContext, round: Round): Promise<Played> {
  const opensAt = await redisNow(context.redis) + round.opensInMs;
  const { rainId } = accepted(await createRain(context, {
    title: round.title, plan: { budget: round.budget, packets: round.packets, split: { method: 'double-mean' } }, opensAt, closesAt: opensAt + round.durationMs,
    ...(round.rehearsal && { terms: { rehearsal: true } }),
  }));
  accepted(await loadRain(context, rainId));

  const wave = new AbortController();
  const stopBots = AbortSignal.any([signal, wave.signal]);
  const playing = runWave({ url: gatewayUrl, rainId, users: round.bots, tokenFor, reactionMs: round.reactionMs, creditWaitMs: SETTLE_MS_MAX, signal: stopBots });
  playing.catch(() => {}); // Awaited below; until then a rejection must not end the process.
  const deadline = Date.now() + round.opensInMs + round.durationMs + SETTLE_MS_MAX;
  const watching = watchRain(context, rainId, deadline, signal, round.progress ? showBars(terminal, round.packets) : undefined);
  try {
    const last = await watching;
    const bots = await Promise.race([playing, sleep(5_000, undefined, { signal }).then(() => { wave.abort(); return playing; })]);
    const { audit, others } = await auditBeside(context, rainId, swarmUsers(round.bots));
    if (!audit || !others) throw new Error(`the ledger has no rain ${rainId}`);
    return { audit, others, bots, settled: last.state === 'settled' };
  } finally {
    wave.abort();
  }
}

/** @returns the last state: settled, unless the deadline passed */
async function watchRain(context: OpenContext, rainId: string, deadline: number, signal: AbortSignal, bars: Bars | undefined): Promise<RainView> {
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

interface Bars {
  update(view: RainView): void;
  stop(): void;
}

/** Packets left, claims and credits on stderr: bars on a terminal, a line a second otherwise. */
function showBars(terminal: Terminal, packets: number): Bars {
  if (!terminal.stderr.isTTY) return showLines(terminal);
  const multi = new MultiBar({ format: '{name} {bar} {value}/{total}', stream: terminal.stderr, hideCursor: true, clearOnComplete: false });
  const bars = (['packets left', 'claims      ', 'credits     '] as const).map((name): SingleBar => multi.create(packets, 0, { name }));
  return {
    update: ({ left, claims, credited }) => [left, claims, credited].forEach((value, i) => bars[i]!.update(value)),
    stop: () => multi.stop(),
  };
}

function showLines(terminal: Terminal): Bars {
  let next = 0;
  let last = '';
  return {
    update({ state, left, claims, credited }) {
      const line = `${state}: ${left} packets left, ${claims} claims, ${credited} credits`;
      if (line === last || (Date.now() < next && state !== 'settled')) return;
      next = Date.now() + 1_000;
      last = line;
      notify(terminal, line);
    },
    stop() {},
  };
}
