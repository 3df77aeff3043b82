import type { Command } from 'commander';
import { PACKETS_MAX } from '../../rain/plan.ts';
import { createShutdown } from '../../platform/process/shutdown.ts';
import { explain, print, tell } from '../exit.ts';
import { parseCount, parseDuration } from '../time.ts';
import type { Terminal } from '../terminal.ts';
import type { UpOptions } from '../up/run.ts';

/** One process holds at most 20,000 open files where this was measured. */
const BOTS_MAX = 15_000;

export function addUpCommand(program: Command, terminal: Terminal): void {
  program.command('up').summary('the whole system on this machine, with a demo rain')
    .description('Starts Redis and a database in RAIN_HOME (unless REDIS_URL or DATABASE_URL name others), gateway, worker and the player\'s page, '
      + 'plays a demo rain with simulated users, audits it, and keeps serving until Ctrl-C.')
    .option('--once', 'leave after the first rain is settled; exit code 0 only if its money adds up')
    .option('--json', 'print the audit as one JSON object on the last line')
    .option('--bots <n>', 'simulated users', parseCount(1, BOTS_MAX), 500)
    .option('--packets <n>', 'red packets of the first rain', parseCount(1, PACKETS_MAX), 200)
    .option('--budget <amount>', 'what the first rain gives away', '100.00')
    .option('--duration <time>', 'how long it rains', parseDuration, 5_000)
    .option('--no-demo', 'only serve: no demo rain, no guest tokens')
    .addHelpText('after', '\nExample:\n  rain up --once --bots 2000 --packets 500 --budget 888.00 --duration 10s')
    .action(async (options: UpOptions) => {
      const shutdown = createShutdown({ report: (sentence) => tell(terminal, `rain: ${sentence}`) });
      try {
        const { up } = await import('../up/run.ts');
        await up(terminal, options, shutdown);
      } catch (error) {
        // What breaks because the end has begun is no news.
        if (shutdown.signal.aborted) return;
        const { exit, reasons } = explain(error);
        for (const reason of reasons) tell(terminal, `rain: ${reason}`);
        if (options.json) print(terminal, true, { ok: false, exit, reasons }, '');
        await shutdown.end(exit);
      }
    });
}
