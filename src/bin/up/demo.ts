import { createRain } from '../../operator/create.ts';
import { loadRain } from '../../operator/load.ts';
import { showRain, type RainView } from '../../operator/list.ts';
import { redisNow } from '../../store/rains.ts';
import { checkMoney } from '../../loadtest/report/verdict.ts';
import { runWave, type WaveOptions } from '../../loadtest/wave.ts';
import { accepted } from '../exit.ts';
import type { OpenContext } from '../context.ts';
import { auditBeside, swarmUsers } from '../swarmAudit.ts';
import type { Progress } from '../progress.ts';
import type { Terminal } from '../terminal.ts';
import { progressOf, SETTLE_MS_MAX, soon, untilSettled } from './watch.ts';

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
  id?: string;
  shards?: number;
  /** In place of `reactionMs`. */
  arrivals?: WaveOptions['arrivals'];
  onAnswer?: WaveOptions['onAnswer'];
  /** Default: `progressOf`. */
  progress?: Progress<[RainView]>;
}

export interface RoundContext {
  terminal: Terminal;
  context: OpenContext;
  gatewayUrl: string;
  tokenFor: (userId: string) => Promise<string>;
  signal: AbortSignal;
}

export type Played = Awaited<ReturnType<typeof playRound>>;

/**
 * Runs one whole rain: creates and loads it, lets bots play over real sockets, waits until it is settled, audits it.
 */
export async function playRound({ terminal, context, gatewayUrl, tokenFor, signal }: RoundContext, round: Round) {
  const {
    durationMs,
    opensInMs = 3_000,
    reactionMs = { min: 100, max: Math.min(2_000, Math.max(200, durationMs / 2)) },
  } = round;
  const opensAt = (await redisNow(context.redis)) + opensInMs;
  const { rainId } = accepted(
    await createRain(context, {
      title: round.title,
      plan: { budget: round.budget, packets: round.packets, split: { method: 'double-mean' } },
      opensAt,
      closesAt: opensAt + durationMs,
      ...(round.rehearsal && { terms: { rehearsal: true } }),
      ...(round.id !== undefined && { id: round.id }),
      ...(round.shards !== undefined && { shards: round.shards }),
    }),
  );
  accepted(await loadRain(context, rainId));

  const wave = new AbortController();
  const stopBots = AbortSignal.any([signal, wave.signal]);
  const playing = runWave({
    url: gatewayUrl,
    rainId,
    users: round.bots,
    tokenFor,
    reactionMs,
    creditWaitMs: SETTLE_MS_MAX,
    signal: stopBots,
    ...(round.arrivals && { arrivals: round.arrivals }),
    ...(round.onAnswer && { onAnswer: round.onAnswer }),
  });
  playing.catch(() => {}); // Awaited below; until then a rejection must not end the process.
  try {
    const settled = await untilSettled({
      look: async () => (await showRain(context, rainId))!,
      withinMs: opensInMs + durationMs,
      signal,
      progress: round.quiet
        ? undefined
        : (round.progress ??
          progressOf<RainView>(terminal, round.packets, [
            ['packets left', ({ left }) => left],
            ['claims', ({ claims }) => claims],
            ['credits', ({ credited }) => credited],
          ])),
    });
    const bots = await soon(playing, wave, signal);
    const { audit, others } = await auditBeside(context, rainId, swarmUsers(round.bots));
    if (!audit || !others) throw new Error(`the ledger has no rain ${rainId}`);
    return { audit, bots, settled, verdict: checkMoney(bots, audit.report, others) };
  } finally {
    wave.abort();
  }
}
