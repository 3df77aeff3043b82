import type { HoldReason } from '../../store/holds.ts';
import { readHeartbeats } from '../../store/gatewayHeartbeat.ts';
import type { SystemView } from '../../operator/system.ts';
import { behindText } from '../../operator/restore/behind.ts';
import { iso } from '../../rain/figures.ts';
import type { RainCommand } from '../command.ts';
import { EXIT } from '../exit.ts';
import { facts, paint, table } from '../style.ts';

const MIB = 1_024 * 1_024;

export function addSystemCommands(program: RainCommand): void {
  program
    .command('system')
    .summary('state of the servers')
    .description(
      'Shows Redis, the database, the queues and the workers. Exit code 3 when one of the servers cannot be reached.',
    )
    .json()
    .example('rain system')
    .runsWithQueues(async (context) => {
      const { readSystem } = await import('../../operator/system.ts');
      const system = await readSystem(context);
      return {
        value: system,
        text: describe(system),
        exit: !(system.redis.up && system.database.up) && EXIT.unreachable,
      };
    });

  program
    .command('gateways')
    .summary('list gateways')
    .description(
      'Lists the running gateways, oldest first, with their sockets and the answers they have given since their start.',
    )
    .json()
    .example('rain gateways')
    .runsWithContext(async ({ redis }) => {
      const gateways = (await readHeartbeats(redis)).map(({ startedAt, at, ...plain }) => ({
        ...plain,
        startedAt: iso(startedAt),
        at: iso(at),
      }));
      const rows = table(
        ['address', 'sockets', 'grabs waiting', 'pressed', 'answered', 'version', 'since'],
        gateways.map((one) => [
          one.address,
          one.sockets,
          one.grabsPending,
          one.pressed ? paint.warning('yes') : 'no',
          Object.entries(one.answers)
            .map(([code, count]) => `${code}: ${count}`)
            .join(', '),
          one.version,
          one.startedAt,
        ]),
      );
      return {
        value: { gateways },
        text: gateways.length === 0 ? 'no gateway is running; start one with: rain gateway' : rows,
      };
    });

  program
    .command('openapi')
    .summary("the HTTP API of the operator's console, as OpenAPI")
    .description(
      "Prints the OpenAPI document of the console's HTTP API, which has the same commands as the command line. No server is contacted.",
    )
    .json('print the document on one line')
    .example('rain openapi > console.openapi.json')
    .runs(async () => {
      const { openApi } = await import('../../console/openapi.ts');
      const value = openApi();
      return { value, text: JSON.stringify(value, undefined, 2) };
    });
}

function describe({ version, redis, database, queues, workers, held, heldSales, stores }: SystemView): string {
  const up = (is: boolean): string => (is ? paint.good('up') : paint.bad('UNREACHABLE'));
  const memory = redis.usedMemoryBytes === undefined ? '' : `, ${(redis.usedMemoryBytes / MIB).toFixed(1)} MiB`;
  const head = facts([
    ['version', version],
    ['redis', `${up(redis.up)}${redis.version === undefined ? '' : `, ${redis.version}`}${memory}`],
    ['database', up(database.up)],
    ['workers', workers === null ? 'unknown' : workers === 0 ? paint.warning('none') : workers],
    ['dead letters', queues === null ? 'unknown' : queues.dead],
    ['of orders', queues === null ? 'unknown' : queues.ordersDead],
    ['held rains', countOf(held)],
    ['held sales', countOf(heldSales)],
    ['stores', stores === null ? 'unknown' : describeStores(stores, [...(held ?? []), ...(heldSales ?? [])])],
  ]);
  if (queues === null) return head;
  return `${head}\n\n${table(
    ['queue', 'waiting', 'active', 'delayed', 'failed'],
    (
      [
        ['credit', 'credit'],
        ['later', 'later'],
        ['orders', 'orders'],
        ['orders later', 'ordersLater'],
        ['orders ended', 'ordersEnded'],
      ] as const
    ).map(([name, lane]) => {
      const { waiting, active, delayed, failed } = queues[lane];
      return [name, waiting, active, delayed, failed];
    }),
  )}`;
}

const countOf = (held: readonly unknown[] | null): string | number =>
  held === null ? 'unknown' : held.length === 0 ? 0 : paint.bad(String(held.length));

function describeStores(
  { behind, compared, lost }: NonNullable<SystemView['stores']>,
  held: readonly { reason: HoldReason }[],
): string {
  const faults = [
    ...behind.map((side) =>
      behindText(
        side,
        held.map(({ reason }) => reason),
      ),
    ),
    ...(lost.length > 0 ? [`Redis has lost ${lost.length} rains`] : []),
  ];
  if (faults.length > 0) return paint.bad(`${faults.join('; ')}; see: rain restore check`);
  return compared ? 'of the same time' : paint.warning('not compared since Redis was restarted; start a worker');
}
