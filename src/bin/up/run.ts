import { setTimeout as sleep } from 'node:timers/promises';
import type { Shutdown } from '../../platform/process/shutdown.ts';
import { signToken } from '../../platform/auth/token.ts';
import { EXIT, print, notify } from '../exit.ts';
import { describeReport } from '../auditText.ts';
import { openContext } from '../context.ts';
import type { Terminal } from '../terminal.ts';
import { playRound, type Played, type RoundContext } from './demo.ts';
import { FIRST_OPERATOR, startSystem } from './system.ts';

export interface UpOptions {
  demo: boolean;
  once?: boolean;
  json?: boolean;
  bots: number;
  packets: number;
  budget: string;
  /** ms */
  duration: number;
}

const BOT_TOKEN_SECONDS = 3_600;

/** Starts all servers, plays the demo rain and continues to serve. It returns only with `--no-demo`, when all servers are open. */
export async function up(terminal: Terminal, options: UpOptions, shutdown: Shutdown): Promise<void> {
  const system = await startSystem(terminal, shutdown, options.demo);
  notify(terminal, `page     ${system.pageUrl}\nconsole  ${system.pageUrl}/console/  ${system.password === undefined ? '(add operators with: rain operator add)' : `${FIRST_OPERATOR} / ${system.password}`}\ngateway  ${system.gatewayUrl}`);
  if (!options.demo) return notify(terminal, 'serving until Ctrl-C');
  const context = await openContext({ REDIS_URL: system.redisUrl, DATABASE_URL: system.databaseUrl, SIGNING_SECRET: system.signingSecret }, 'demo');
  shutdown.onClose('console', () => context.close());
  const roundContext: RoundContext = {
    terminal, context, gatewayUrl: system.gatewayUrl, signal: shutdown.signal,
    tokenFor: (sub) => signToken(system.jwtSecret, { sub, expiresInSeconds: BOT_TOKEN_SECONDS }),
  };
  const played = await playRound(roundContext, {
    title: 'Demo', budget: options.budget, packets: options.packets, bots: options.bots, durationMs: options.duration,
  });
  report(terminal, played, options);
  if (options.once) return void await shutdown.end(played.settled && played.verdict.balanced ? EXIT.done : EXIT.refused);
  notify(terminal, `\nOpen ${system.pageUrl} and play; a new rain opens about every half minute. Ctrl-C stops everything.`);
  await playMoreRounds(roundContext);
}

function report(terminal: Terminal, { audit, bots, settled, verdict }: Played, { json }: UpOptions): void {
  notify(terminal, `\n${bots.users} simulated users. ${verdict.sentence}`);
  if (!settled) notify(terminal, 'The rain was not settled in time.');
  for (const problem of audit.problems) notify(terminal, problem);
  if (json) notify(terminal, describeReport(audit.report));
  print(terminal, json, audit.report, describeReport(audit.report));
}

/** Small rains with slow bots, so that a user who opens the page later can still win. */
async function playMoreRounds(roundContext: RoundContext): Promise<void> {
  for (let round = 2; !roundContext.signal.aborted; round++) {
    const { audit } = await playRound(roundContext, {
      title: `Demo ${round}`, budget: '66.00', packets: 40, bots: 20, opensInMs: 10_000, durationMs: 15_000, reactionMs: { min: 500, max: 14_000 }, quiet: true,
    });
    const { report: result } = audit;
    notify(roundContext.terminal, `round ${round}: ${result.winners} winners, ${result.credited} credited, ${result.recycled} recycled, ${result.balanced ? 'adds up' : 'DOES NOT ADD UP'}`);
    await sleep(3_000, undefined, { signal: roundContext.signal });
  }
}
