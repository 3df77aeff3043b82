import { Option } from 'commander';
import { PACKETS_MAX } from '../../rain/plan.ts';
import { createShutdown } from '../../platform/process/shutdown.ts';
import { parseCount, parseDuration } from '../arguments.ts';
import type { RainCommand } from '../command.ts';
import { notify, reportFailure } from '../exit.ts';
import type { UpOptions } from '../up/run.ts';

/** One process had at most 20,000 open files on the machine where this was measured. */
const BOTS_MAX = 15_000;

export function addUpCommand(program: RainCommand): void {
  const { terminal } = program;

  program.command('up').summary('the whole system on this machine, with a demo rain and a demo sale')
    .description('Starts Redis and a database in RAIN_HOME (unless REDIS_URL or DATABASE_URL name others), then a gateway, a worker and the player\'s page. '
      + 'Plays a demo rain and a demo sale with simulated users, who pay for 70% of what they reserve and cancel 10%; audits both, and serves until Ctrl-C.')
    .option('--once', 'exit after the first rain and the first sale are settled; exit code 0 only if both add up')
    .addOption(new Option('--only <what>', 'play only rains, or only sales').choices(['rain', 'sale']))
    .json('print each audit as one JSON object on a line, the last lines of the output')
    .option('--bots <n>', 'simulated users', parseCount(1, BOTS_MAX), 500)
    .option('--packets <n>', 'red packets of the first rain', parseCount(1, PACKETS_MAX), 200)
    .option('--budget <amount>', 'budget of the first rain', '100.00')
    .option('--duration <time>', 'how long the first rain is open', parseDuration, 5_000)
    .option('--no-demo', 'no demo rain, no demo sale and no guest tokens')
    .example('rain up --once --bots 2000 --packets 500 --budget 888.00 --duration 10s', 'rain up --only sale')
    .refuses(({ demo, only }: UpOptions) => (!demo && only !== undefined ? '--only: expected either --only or --no-demo' : undefined))
    .action(async (options: UpOptions) => {
      const shutdown = createShutdown({ report: (sentence) => notify(terminal, `rain: ${sentence}`) });
      try {
        const { up } = await import('../up/run.ts');
        await up(terminal, options, shutdown);
      } catch (error) {
        // Errors during the shutdown are not reported.
        if (shutdown.signal.aborted) return;
        await shutdown.end(reportFailure(terminal, error, options.json));
      }
    });
}
