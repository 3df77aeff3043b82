import type { Queue, QueuesAnswer } from '../../state/responses.ts';
import { useNow } from '../../state/useApi.ts';
import { durationText } from '../../words/figures.ts';
import { useWords } from '../../words/language.ts';
import { WORDS } from './words.ts';

/** A job that has waited longer means that the workers are behind. */
const LATE_MS = 30_000;

const FLOWS = [
  { id: 'credit', queues: ['credit', 'later'], entries: 'claims', named: 'wins' },
  { id: 'orders', queues: ['orders', 'ordersLater'], entries: 'reservations', named: 'orders' },
] as const;

/**
 * The operator's questions: is what was won credited, are orders handed over, how far behind is it, what is tried
 * again, what gave up.
 */
export function Answers({ queues, notQueued }: QueuesAnswer) {
  const { words, language } = useWords(WORDS);
  const now = useNow();
  const sum = (field: 'delayed' | 'failed') => queues.reduce((total, queue) => total + queue[field], 0);
  const [delayed, failed] = [sum('delayed'), sum('failed')];
  const states = FLOWS.map(({ queues: names }) =>
    stateOf(
      queues.filter(({ name }) => (names as readonly string[]).includes(name)),
      now,
    ),
  );
  return (
    <section class="card at-a-glance" aria-label={words.answers}>
      <ul>
        {FLOWS.map(({ id, queues: [first], entries, named }, i) => {
          const queue = queues.find(({ name }) => name === first);
          const jobs = queue === undefined ? 0 : queue.waiting + queue.active;
          const behind = notQueued?.[entries];
          const age = queue?.oldestAt === undefined ? 0 : now - Date.parse(queue.oldestAt);
          return (
            <li key={id} data-testid={`flow-${id}`} data-state={states[i]}>
              <b class="health" data-up={states[i] === 'good' || (states[i] === 'late' ? 'late' : false)}>
                {words.flows[id][states[i]!]}
              </b>
              <small>
                {jobs === 0 ? behind === 0 && words.nothingWaits : words.jobsWait(jobs)}{' '}
                {age > LATE_MS && words.isBehind(durationText(Math.floor(age / 1_000) * 1_000, language))}{' '}
                {behind === undefined ? words.notKnown : behind > 0 && words.notQueued(words[named](behind))}
              </small>
            </li>
          );
        })}
        <li data-testid="retried">
          <b class="health" data-up={delayed === 0 || 'late'}>
            {words.retried(delayed)}
          </b>
        </li>
        <li data-testid="given-up">
          <b class="health" data-up={failed === 0}>
            {words.givenUp(failed)}
          </b>
        </li>
      </ul>
      {states.includes('no_worker') && (
        <p class="remedy" role="status">
          {words.startWorker} <code>rain worker</code>
        </p>
      )}
      {states.includes('paused') && (
        <p class="remedy" role="status">
          {words.pausedTold}
        </p>
      )}
    </section>
  );
}

type FlowState = keyof (typeof WORDS)['en']['flows']['credit'];

/** The worst of its queues. */
function stateOf(queues: readonly Queue[], now: number): FlowState {
  for (const state of ['no_worker', 'paused', 'unknown'] as const)
    if (queues.some((queue) => queue.state === state)) return state;
  return queues[0]?.oldestAt !== undefined && now - Date.parse(queues[0].oldestAt) > LATE_MS ? 'late' : 'good';
}
