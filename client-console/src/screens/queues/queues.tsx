import { useRef } from 'preact/hooks';
import { isWorked, type ListedState, type WorkedQueue } from '../../../../src/operator/queues/names.ts';
import type { Queue, QueuesAnswer } from '../../state/responses.ts';
import { useNow, useRequest } from '../../state/useApi.ts';
import { hashOf } from '../../state/route.ts';
import { Awaited } from '../../components/awaited.tsx';
import { Table } from '../../components/table.tsx';
import { countText, momentText, timeZoneText } from '../../words/figures.ts';
import { useWords } from '../../words/language.ts';
import { Answers } from './answers.tsx';
import { Jobs } from './jobs.tsx';
import { WORDS } from './words.ts';

const REFRESH_MS = 2_000;

/** The request: jobs of this queue in this state. */
interface Asked {
  queue: WorkedQueue;
  state: ListedState;
}

/** @param asked absent: the jobs of the first queue that has some to be tried again */
export function Queues({ asked }: { asked?: Asked | undefined }) {
  const { words } = useWords(WORDS);
  const request = useRequest<QueuesAnswer>('queues', REFRESH_MS);
  const chosen = useRef<WorkedQueue | undefined>(undefined);
  return (
    <>
      <header class="head">
        <div>
          <h1>{words.title}</h1>
          <p class="sub">{words.told(timeZoneText())}</p>
        </div>
      </header>
      <Awaited request={request}>
        {({ queues, notQueued }) => {
          const filled = workedOf(queues).filter(({ delayed }) => delayed > 0);
          // The same one as before, so that the page does not jump.
          chosen.current = (filled.find(({ name }) => name === chosen.current) ?? filled[0])?.name;
          const shown: Asked = asked ?? { queue: chosen.current ?? 'credit', state: 'delayed' };
          return (
            <>
              <Answers queues={queues} notQueued={notQueued} />
              <QueueTable queues={queues} />
              <Tabs queues={queues} shown={shown} />
              <Jobs key={`${shown.queue} ${shown.state}`} {...shown} />
            </>
          );
        }}
      </Awaited>
    </>
  );
}

/** The queues that workers work on. */
const workedOf = (queues: readonly Queue[]) =>
  queues.flatMap((queue) => (isWorked(queue.name) ? [{ ...queue, name: queue.name }] : []));

function QueueTable({ queues }: { queues: readonly Queue[] }) {
  const { words, language } = useWords(WORDS);
  const now = useNow();
  const time = (at: string | undefined) =>
    at !== undefined && <time dateTime={at}>{momentText(at, language, now)}</time>;
  return (
    <Table label={words.title} stacks>
      <thead>
        <tr>
          <th>{words.queue}</th>
          <th class="number">{words.waiting}</th>
          <th class="number">{words.active}</th>
          <th class="number">{words.delayed}</th>
          <th class="number">{words.failed}</th>
          <th>{words.oldest}</th>
          <th>{words.state}</th>
        </tr>
      </thead>
      <tbody>
        {queues.map((queue) => (
          <tr key={queue.name} data-testid={`queue-${queue.name}`} data-state={queue.state}>
            <th scope="row">
              <span class="what">
                {words.names[queue.name]}
                <small>{words.purposes[queue.name]}</small>
              </span>
            </th>
            {isWorked(queue.name) ? (
              <>
                <td class="number">{countText(queue.waiting)}</td>
                <td class="number">{countText(queue.active)}</td>
                <td class="number">
                  <span class="what">
                    <Count count={queue.delayed} to={{ screen: 'queues', queue: queue.name }} />
                    {queue.nextAt !== undefined && <small>{words.next(momentText(queue.nextAt, language, now))}</small>}
                  </span>
                </td>
                <td class="number">
                  <Count count={queue.failed} to={{ screen: 'queues', queue: queue.name, state: 'failed' }} />
                </td>
              </>
            ) : (
              <>
                <td class="none">–</td>
                <td class="none">–</td>
                <td class="none">–</td>
                <td class="number">
                  <Count count={queue.failed} to={{ screen: queue.name === 'dead' ? 'dead' : 'order-letters' }} />
                </td>
              </>
            )}
            <td>{time(queue.oldestAt) || '–'}</td>
            <td>
              {isWorked(queue.name) ? (
                <span class="health" data-up={queue.state === 'working' || (queue.state === 'idle' ? 'idle' : false)}>
                  {words.states[queue.state]}
                </span>
              ) : (
                words.states[queue.state]
              )}
            </td>
          </tr>
        ))}
      </tbody>
    </Table>
  );
}

function Count({ count, to }: { count: number; to: Parameters<typeof hashOf>[0] }) {
  return count === 0 ? (
    <>{countText(count)}</>
  ) : (
    <a class="about" href={hashOf(to)}>
      {countText(count)}
    </a>
  );
}

/** Every list that has jobs, and the one that is shown. */
function Tabs({ queues, shown }: { queues: readonly Queue[]; shown: Asked }) {
  const { words } = useWords(WORDS);
  const lists = workedOf(queues).flatMap(({ name, delayed, failed }) =>
    (
      [
        ['delayed', delayed],
        ['failed', failed],
      ] as const
    ).map(([state, count]) => ({ queue: name, state, count })),
  );
  const tabs = lists
    .map((list) => ({ ...list, current: list.queue === shown.queue && list.state === shown.state }))
    .filter(({ count, current }) => count > 0 || current);
  return (
    <>
      <h2 class="between" id="jobs">
        {words.jobs[shown.state]}
      </h2>
      <nav class="tabs" aria-labelledby="jobs">
        {tabs.map(({ queue, state, count, current }) => (
          <a
            key={queue + state}
            href={hashOf({ screen: 'queues', queue, ...(state === 'failed' && { state }) })}
            aria-current={current ? 'page' : undefined}
          >
            {words.names[queue]}
            {state === 'failed' && `: ${words.failed}`} ({countText(count)})
          </a>
        ))}
      </nav>
    </>
  );
}
