import { Option } from 'commander';
import { PACKETS_MAX } from '../../rain/plan.ts';
import { createShutdown } from '../../platform/process/shutdown.ts';
import { parseCount, parseDuration, typedAmount } from '../arguments.ts';
import type { RainCommand } from '../command.ts';
import { EXIT, notify, reportFailure } from '../exit.ts';
import type { UpOptions } from '../up/run.ts';

/** A master is replaced while the rain is open, and its users get their answers afterwards. */
const CLUSTER_MS_MIN = 20_000;
/** One process had at most 20,000 open files on the machine where this was measured. */
const BOTS_MAX = 15_000;

export function addUpCommand(program: RainCommand): void {
  const { terminal } = program;

  program
    .command('up')
    .summary('the whole system on this machine, with a demo rain and a demo sale')
    .description(
      "Starts Redis and a database in RAIN_HOME (unless REDIS_URL or DATABASE_URL name others), then a gateway, a worker and the player's page. " +
        'Plays a demo rain and a demo sale with simulated users, who pay for 70% of what they reserve and cancel 10%; audits both, and serves until Ctrl-C.',
    )
    .option('--once', 'exit after the first rain and the first sale are settled; exit code 0 only if both add up')
    .addOption(new Option('--only <what>', 'play only rains, or only sales').choices(['rain', 'sale']))
    .json(
      'print each audit as one JSON object on a line, the last lines of the output; with --cluster all of the trial on one line',
    )
    .option(
      '--cluster',
      'try a Redis Cluster instead: three masters and three replicas, two gateways, two workers, one rain over four shards; a master is killed meanwhile. Prints who was refused for how long, and both audits; then removes everything. Exit code 0 only if all adds up, 1 also after Ctrl-C',
    )
    .option('--bots <n>', 'simulated users; default 500, with --cluster 1500', parseCount(1, BOTS_MAX))
    .option(
      '--packets <n>',
      'red packets of the first rain; default 200, with --cluster 600',
      parseCount(1, PACKETS_MAX),
    )
    .option('--budget <amount>', 'budget of the first rain; default 100.00, with --cluster 600.00', typedAmount)
    .option('--duration <time>', 'how long the first rain is open; default 5s, with --cluster 40s', parseDuration)
    .option('--no-demo', 'no demo rain, no demo sale and no guest tokens')
    .option(
      '--event <title>',
      "for an evening with guests: no demos; the player's page and the gateway can be reached from the network of this machine, and anybody there may play; prints the address, also as a QR code. The operator's password is told at the first start and kept. The page has CONSOLE_PORT, and the console the first port after CONSOLE_PORT and GATEWAY_PORT, on this machine only",
    )
    .option(
      '--participants',
      'with --event: only people on the list of participants may play, each with the code of a printed card or a personal link, see rain participants',
    )
    .option(
      '--console-on-lan',
      'with --event: the console can be opened from other devices, too, at the address of the page',
    )
    .example(
      'rain up --once --bots 2000 --packets 500 --budget 888.00 --duration 10s',
      'rain up --only sale',
      'rain up --event "Annual party"',
      'rain up --cluster',
    )
    .refuses(misuse)
    .action(async (options: UpOptions) => {
      // Exit code 0 of a trial says that all adds up.
      const shutdown = createShutdown({
        report: (sentence) => notify(terminal, `rain: ${sentence}`),
        interruptedCode: options.cluster ? EXIT.refused : EXIT.done,
      });
      try {
        if (options.event !== undefined)
          await (
            await import('../up/event.ts')
          ).upForEvent(
            terminal,
            {
              title: options.event,
              participantsOnly: options.participants ?? false,
              consoleOnLan: options.consoleOnLan ?? false,
            },
            shutdown,
          );
        else if (options.cluster) await (await import('../up/cluster/run.ts')).upCluster(terminal, options, shutdown);
        else await (await import('../up/run.ts')).up(terminal, options, shutdown);
      } catch (error) {
        // Errors during the shutdown are not reported.
        if (shutdown.signal.aborted) return;
        await shutdown.end(reportFailure(terminal, error, options.json));
      }
    });
}

/** On one line of a phone. */
const EVENT_CHARACTERS_MAX = 60;
/** Options of the demos; an event has none. */
const OF_DEMOS = ['once', 'only', 'json', 'cluster', 'bots', 'packets', 'budget', 'duration'] as const;

function misuse(options: UpOptions): string | undefined {
  const { demo, only, cluster, duration, event, consoleOnLan, participants } = options;
  if (event === undefined && consoleOnLan) return '--console-on-lan: expected with --event';
  if (event === undefined && participants) return '--participants: expected with --event';
  if (event !== undefined) {
    if (event.trim() === '' || event.length > EVENT_CHARACTERS_MAX)
      return `--event: expected a title of 1 to ${EVENT_CHARACTERS_MAX} characters`;
    const other = OF_DEMOS.find((name) => options[name] !== undefined);
    return other && `--${other}: not with --event, which plays no demo`;
  }
  if (!demo && only !== undefined) return '--only: expected either --only or --no-demo';
  if (!cluster) return undefined;
  if (!demo) return '--no-demo: not with --cluster, which plays a rain and ends';
  if (only !== undefined) return '--only: not with --cluster, which plays one rain';
  if (duration !== undefined && duration < CLUSTER_MS_MIN)
    return `--duration: expected at least ${CLUSTER_MS_MIN / 1_000}s with --cluster, since a master is replaced meanwhile`;
  return undefined;
}
