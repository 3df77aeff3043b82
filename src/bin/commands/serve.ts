import { constants, getPriority, setPriority } from 'node:os';
import { Option } from 'commander';
import { createSigner } from '../../store/signer.ts';
import { createLog } from '../../platform/telemetry/log.ts';
import { sendFailed, sendReady } from '../../platform/process/ipc.ts';
import { watchLoop } from '../../platform/process/loopWatchdog.ts';
import { createShutdown, SERVER_DEADLINE_MS, type Shutdown } from '../../platform/process/shutdown.ts';
import { parseCount } from '../arguments.ts';
import type { RainCommand } from '../command.ts';
import { configure } from '../context.ts';
import { explain, notify } from '../exit.ts';
import type { ConsoleServerOptions } from '../servers/console.ts';
import type { Terminal } from '../terminal.ts';

/** More than any machine has cores. The parent process accepts about 4,000 connections a second for all of them. */
const PROCESSES_MAX = 64;

/**
 * Runs a server until a signal arrives or its parent process ends; `rain up`, when it is the parent, receives the
 * result over IPC.
 */
async function serve(
  terminal: Terminal,
  name: string,
  open: (shutdown: Shutdown) => Promise<Record<string, unknown>>,
): Promise<void> {
  const shutdown = createShutdown({
    deadlineMs: SERVER_DEADLINE_MS,
    report: (sentence) => notify(terminal, `${name}: ${sentence}`),
  });
  watchLoop(name);
  try {
    await sendReady(await shutdown.opening(() => open(shutdown)));
  } catch (error) {
    await sendFailed(explain(error).reasons.join('; '));
    throw error;
  }
}

/**
 * A crowd waits for answers, and credits and orders may follow a little later: where a gateway and Redis share the
 * cores of a worker, they go first.
 */
function yieldToGateways(): void {
  const { PRIORITY_BELOW_NORMAL } = constants.priority;
  try {
    if (getPriority() < PRIORITY_BELOW_NORMAL) setPriority(PRIORITY_BELOW_NORMAL);
  } catch {
    /* Where that is forbidden, it works as it is. */
  }
}

export function addServeCommands(program: RainCommand): void {
  const { terminal } = program;

  program
    .command('gateway')
    .summary('run a WebSocket gateway for players')
    .description(
      'Runs a WebSocket gateway on GATEWAY_HOST:GATEWAY_PORT. Needs REDIS_URL, SIGNING_SECRET, and JWT_SECRET or JWKS_URL.',
    )
    .option(
      '--processes <n>',
      'how many processes share the port; every limit is per process, so n processes take n times 18,000 sockets',
      parseCount(1, PROCESSES_MAX),
      1,
    )
    .example(
      'REDIS_URL=redis://10.0.0.5:6379 SIGNING_SECRET=… JWT_SECRET=… GATEWAY_HOST=0.0.0.0 rain gateway --processes 4',
    )
    .action(({ processes }: { processes: number }) =>
      serve(terminal, 'gateway', async (shutdown) => {
        if (processes === 1)
          return { ...(await (await import('../servers/gateway.ts')).open(shutdown, terminal.environment)) };
        return { ...(await (await import('../servers/gateways.ts')).open(shutdown, terminal.environment, processes)) };
      }),
    );

  program
    .command('worker')
    .summary('run the relay, the credit worker and all background jobs')
    .description(
      'Moves claims from Redis to the queue, credits them, and settles rains that have ended. Any number of workers may run. Needs REDIS_URL, DATABASE_URL and SIGNING_SECRET.',
    )
    .example('REDIS_URL=redis://10.0.0.5:6379 DATABASE_URL=postgres://rain@10.0.0.6/rain SIGNING_SECRET=… rain worker')
    .action(() =>
      serve(terminal, 'worker', async (shutdown) => {
        yieldToGateways();
        const { startWorker } = await import('../servers/worker.ts');
        const { payoutProviderOf } = await import('../servers/payoutProvider.ts');
        const { orderServiceOf } = await import('../servers/orderService.ts');
        const config = configure(terminal.environment, ['REDIS_URL', 'DATABASE_URL', 'SIGNING_SECRET']);
        const log = createLog('worker', config.LOG_LEVEL);
        const { openTracing } = await import('../servers/tracing.ts');
        const traces = await openTracing(config, 'rain-worker', log, shutdown);
        const worker = await startWorker(config.REDIS_URL, config.DATABASE_URL, log, {
          signer: createSigner(config.SIGNING_SECRET),
          keep: payoutProviderOf(config),
          orders: orderServiceOf(config),
          durability: config.DURABILITY,
          durabilityWaitMs: config.DURABILITY_WAIT_MS,
          settling: { settleAfterReconnectMs: config.SETTLE_AFTER_RECONNECT_MS },
          watching: { onTampering: config.ON_TAMPERING },
          traces,
          waits: true,
          ...(config.USER_RETENTION_DAYS !== undefined && { retentionDays: config.USER_RETENTION_DAYS }),
          ...(config.METRICS_PORT !== undefined && {
            metrics: { host: config.METRICS_HOST, port: config.METRICS_PORT },
          }),
        });
        shutdown.onClose('worker', (leftMs) => worker.close(leftMs));
        return {};
      }),
    );

  program
    .command('console')
    .summary("run the player's page and the operator's console")
    .description(
      "Serves the player's page on CONSOLE_HOST:CONSOLE_PORT, and the operator's console and its API under /console/ and /api/console/. Needs REDIS_URL, DATABASE_URL and SIGNING_SECRET. Add operators with rain operator add.",
    )
    .addOption(
      new Option(
        '--guests [who]',
        'let anybody play as a guest, each tab of a browser as another one (for demos), or each device as one, which keeps what it has won; needs JWT_SECRET',
      )
        .choices(['tab', 'device'])
        .preset('tab'),
    )
    .option(
      '--participants',
      'let people on the list of participants play by their codes, see rain participants; needs JWT_SECRET',
    )
    .option('--demo-shop', 'let anybody pay orders of a sale without money: for demos only')
    .option(
      '--players-only',
      "serve the player's page and its API, and nothing for operators: for a network in which others than operators are",
    )
    .option('--event <title>', "title on the player's page, where it shows no rain, and on cards to print")
    .example(
      'REDIS_URL=redis://10.0.0.5:6379 DATABASE_URL=postgres://rain@10.0.0.6/rain SIGNING_SECRET=… GATEWAY_PUBLIC_URL=wss://rain.example.com/v1 CONSOLE_HOST=0.0.0.0 rain console',
    )
    .action((options: ConsoleServerOptions) =>
      serve(terminal, 'console', async (shutdown) => ({
        ...(await (await import('../servers/console.ts')).open(shutdown, terminal.environment, options)),
      })),
    );

  program
    .command('migrate')
    .summary('apply database migrations')
    .description('Applies the missing migrations to the database. Needs DATABASE_URL.')
    .json()
    .example('DATABASE_URL=postgres://rain@10.0.0.6/rain rain migrate')
    .runs(async () => {
      const { migrate } = await import('../../ledger/migrate.ts');
      const applied = await migrate(configure(terminal.environment, ['DATABASE_URL']).DATABASE_URL);
      return {
        value: { applied },
        text: applied.length > 0 ? `applied: ${applied.join(', ')}` : 'the database is up to date',
      };
    });
}
