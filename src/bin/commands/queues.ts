import { listQueueJobs, PAGES_MAX, type JobPage } from '../../operator/queues/jobs.ts';
import {
  isWorked,
  LISTED_STATES,
  WORKED_QUEUES,
  type ListedState,
  type QueueName,
  type QueueState,
  type WorkedQueue,
} from '../../operator/queues/names.ts';
import { readQueues, type QueuesView } from '../../operator/queues/overview.ts';
import { parseCount } from '../arguments.ts';
import type { RainCommand } from '../command.ts';
import { facts, paint, table } from '../style.ts';

/** The purpose of each queue. */
const PURPOSE: Record<QueueName, string> = {
  credit: 'credits what was won',
  later: 'credits what the wallet did not accept yet',
  dead: 'claims given up: rain dead list',
  orders: 'writes orders and hands them to the shop',
  ordersLater: 'hands over what the shop did not accept yet',
  ordersEnded: 'tells the shop of orders that have ended',
  ordersDead: 'orders given up: rain sale dead list',
};

const STATES: Record<QueueState, string> = {
  working: 'working',
  paused: paint.bad('paused'),
  no_worker: paint.bad('no worker is connected'),
  idle: 'nothing to do',
  unknown: 'unknown',
  operator: '',
};

export function addQueueCommand(program: RainCommand): void {
  program
    .command('queues [queue]')
    .summary('what waits to be credited or handed over, and what is tried again')
    .description(
      'Shows the queues: what waits, what is tried again and when, what was given up, and whether a worker is connected. With the name of a queue: its jobs that are tried again, the next one first. Changes nothing.',
    )
    .option('--state <state>', `with a queue: ${LISTED_STATES.join(' or ')}; failed jobs were given up`)
    .option('--page <n>', 'with a queue: which page', parseCount(1, PAGES_MAX))
    .json()
    .example('rain queues', 'rain queues later --state failed')
    .refuses((queue: string | undefined, { state, page }: { state?: string; page?: number }) => {
      if (queue === undefined && (state !== undefined || page !== undefined))
        return `${state === undefined ? '--page' : '--state'}: expected the name of a queue with it`;
      if (queue !== undefined && !isWorked(queue)) return `queue: expected one of ${WORKED_QUEUES.join(', ')}`;
      return state === undefined || (LISTED_STATES as readonly string[]).includes(state)
        ? undefined
        : `--state: expected one of ${LISTED_STATES.join(', ')}`;
    })
    .runsWithQueues(
      async (
        context,
        queue: WorkedQueue | undefined,
        { state = 'delayed', page = 1 }: { state?: ListedState; page?: number },
      ) => {
        if (queue === undefined) {
          const value = await readQueues(context);
          return { value, text: describe(value) };
        }
        const value = await listQueueJobs(context, queue, state, page);
        return { value, text: describeJobs(value, state) };
      },
    );
}

function describe({ queues, notQueued }: QueuesView): string {
  const rows = queues.map(({ name, state, waiting, active, delayed, failed, nextAt = '', oldestAt = '' }) =>
    state === 'operator'
      ? [name, PURPOSE[name], '', '', '', '', failed, oldestAt, '']
      : [name, PURPOSE[name], waiting, active, delayed, nextAt, failed, oldestAt, STATES[state]],
  );
  return [
    table(
      ['queue', 'what it does', 'waiting', 'active', 'to be tried again', 'next', 'given up', 'oldest since', 'state'],
      rows,
    ),
    '',
    facts([
      ['claims that are in no queue yet', notQueued?.claims ?? 'unknown'],
      ['reservations that are in no queue yet', notQueued?.reservations ?? 'unknown'],
    ]),
  ].join('\n');
}

function describeJobs({ jobs, page, pages, total }: JobPage, state: ListedState): string {
  if (jobs.length === 0) return state === 'delayed' ? 'no job is to be tried again' : 'no job was given up';
  const rows = jobs.map(({ id, rainId, saleId, entries, attempts, attemptsMax, nextAt, addedAt, error }) => [
    id,
    rainId ?? saleId ?? '',
    entries ?? 'no job of ours',
    `${attempts} of ${attemptsMax}`,
    (state === 'delayed' ? nextAt : addedAt) ?? '',
    error ?? '',
  ]);
  return `${table(['job', 'rain or sale', 'entries', 'attempts', state === 'delayed' ? 'next' : 'since', 'last error'], rows)}\n\npage ${page} of ${pages}, ${total} in all`;
}
