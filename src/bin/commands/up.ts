import type { Command } from 'commander';
import { setTimeout as sleep } from 'node:timers/promises';
import { createShutdown, type Shutdown } from '../../runtime/shutdown.ts';
import { signToken } from '../../runtime/token.ts';
import { judge } from '../../swarm/verdict.ts';
import { EXIT, explain, print, tell } from '../answer.ts';
import { openDesk } from '../connection.ts';
import { parseCount, parseDuration } from '../moment.ts';
import { playRound, type Played, type Stage } from '../up/demo.ts';
import { startSystem } from '../up/system.ts';
import { describeAudit } from './look.ts';

interface UpOptions {
  demo: boolean;
  once?: boolean;
  json?: boolean;
  bots: number;
  packets: number;
  budget: string;
  duration: number;
}

/** One process holds at most 20,000 open files where this was measured. */
const BOTS_MAX = 15_000;
const BOT_TOKEN_SECONDS = 3_600;

export function addUpCommand(program: Command): void {
  program.command('up').summary('the whole system on this machine, with a demo rain')
    .description('Starts Redis and a database in RAIN_HOME (unless REDIS_URL or DATABASE_URL name others), gateway, worker and the player\'s page, '
      + 'plays a demo rain with simulated users, audits it, and keeps serving until Ctrl-C.')
    .option('--once', 'leave after the first rain is settled; exit code 0 only if its money adds up')
    .option('--json', 'print the audit as one JSON object on the last line')
    .option('--bots <n>', 'simulated users', parseCount(1, BOTS_MAX), 500)
    .option('--packets <n>', 'red packets of the first rain', parseCount(1, 5_000_000), 200)
    .option('--budget <amount>', 'what the first rain gives away', '100.00')
    .option('--duration <time>', 'how long it rains', parseDuration, 5_000)
    .option('--no-demo', 'only serve: no demo rain, no guest tokens')
    .addHelpText('after', '\nExample:\n  rain up --once --bots 2000 --packets 500 --budget 888.00 --duration 10s')
    .action(async (options: UpOptions) => {
      const shutdown = createShutdown({ report: (sentence) => tell(`rain: ${sentence}`) });
      try {
        await up(options, shutdown);
      } catch (error) {
        // What breaks because the end has begun is no news.
        if (shutdown.signal.aborted) return;
        const { exit, reasons } = explain(error);
        for (const reason of reasons) tell(`rain: ${reason}`);
        if (options.json) print(true, { ok: false, exit, reasons }, '');
        await shutdown.end(exit);
      }
    });
}

async function up(options: UpOptions, shutdown: Shutdown): Promise<void> {
  const system = await startSystem(shutdown, options.demo);
  tell(`page     ${system.pageUrl}\ngateway  ${system.gatewayUrl}`);
  if (!options.demo) return tell('serving until Ctrl-C');
  const desk = await openDesk(system.redisUrl, system.databaseUrl, 'demo');
  shutdown.onClose('desk', () => desk.close());
  const stage: Stage = {
    desk, gatewayUrl: system.gatewayUrl, signal: shutdown.signal,
    tokenFor: (sub) => signToken(system.jwtSecret, { sub, expiresInSeconds: BOT_TOKEN_SECONDS }),
  };
  const played = await playRound(stage, {
    title: 'Demo', budget: options.budget, packets: options.packets, bots: options.bots,
    opensInMs: 3_000, durationMs: options.duration, reactionMs: { min: 100, max: Math.min(2_000, Math.max(200, options.duration / 2)) }, progress: true,
  });
  const good = played.settled && judge(played.bots, played.audit.report).adds_up;
  report(played, options);
  if (options.once) return void await shutdown.end(good ? EXIT.done : EXIT.refused);
  tell(`\nOpen ${system.pageUrl} and play; a new rain falls about every half minute. Ctrl-C ends everything.`);
  await encore(stage);
}

function report({ audit, bots, settled }: Played, { json }: UpOptions): void {
  tell(`\n${bots.users} simulated users. ${judge(bots, audit.report).sentence}`);
  if (!settled) tell('The rain was not settled in time.');
  for (const problem of audit.problems) tell(problem);
  if (json) tell(describeAudit(audit.report));
  print(json, audit.report, describeAudit(audit.report));
}

/** Small rains with slow bots, so that whoever opens the page later has something to catch. */
async function encore(stage: Stage): Promise<void> {
  for (let round = 2; !stage.signal.aborted; round++) {
    const { audit } = await playRound(stage, {
      title: `Demo ${round}`, budget: '66.00', packets: 40, bots: 20, opensInMs: 10_000, durationMs: 15_000, reactionMs: { min: 500, max: 14_000 }, progress: false,
    });
    const { report: told } = audit;
    tell(`round ${round}: ${told.winners} winners, ${told.credited} credited, ${told.recycled} recycled, ${told.adds_up ? 'adds up' : 'DOES NOT ADD UP'}`);
    await sleep(3_000, undefined, { signal: stage.signal });
  }
}
