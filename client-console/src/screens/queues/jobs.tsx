import { useEffect, useState } from 'preact/hooks';
import type { ListedState, WorkedQueue } from '../../../../src/operator/queues/names.ts';
import type { QueueJobs } from '../../state/responses.ts';
import { useRequest } from '../../state/useApi.ts';
import { hashOf } from '../../state/route.ts';
import { Awaited, Empty } from '../../components/awaited.tsx';
import { Button } from '../../components/button.tsx';
import { Table } from '../../components/table.tsx';
import { momentText } from '../../words/figures.ts';
import { useWords } from '../../words/language.ts';
import { WORDS } from './words.ts';

const REFRESH_MS = 5_000;

/** The jobs of one queue that are tried again, or that were given up. */
export function Jobs({ queue, state }: { queue: WorkedQueue; state: ListedState }) {
  const { words } = useWords(WORDS);
  const [page, setPage] = useState(1);
  const request = useRequest<QueueJobs>(`queues/${queue}/jobs?state=${state}&page=${page}`, REFRESH_MS);
  const pages = request.value?.pages;
  // Jobs are done meanwhile: the last page may be gone.
  useEffect(() => {
    if (pages !== undefined && page > pages) setPage(pages);
  }, [pages, page]);
  return (
    <Awaited request={request}>
      {(found) =>
        found.jobs.length === 0 ? (
          <Empty title={words.none[state]} calm>
            <p>{words.noneTold}</p>
          </Empty>
        ) : (
          <>
            {state === 'failed' && <p class="hint">{queue === 'ordersEnded' ? words.untold : words.sentAgain}</p>}
            <JobTable jobs={found.jobs} state={state} />
            <nav class="pager" aria-label={words.pages}>
              {found.pages > 1 && (
                <Button disabled={page <= 1} onClick={() => setPage(page - 1)} testId="previous-page">
                  {words.earlier}
                </Button>
              )}
              <span role="status" data-testid="page">
                {words.page(found.page, found.pages, found.total)}
              </span>
              {found.pages > 1 && (
                <Button disabled={page >= found.pages} onClick={() => setPage(page + 1)} testId="next-page">
                  {words.later}
                </Button>
              )}
            </nav>
          </>
        )
      }
    </Awaited>
  );
}

function JobTable({ jobs, state }: Pick<QueueJobs, 'jobs'> & { state: ListedState }) {
  const { words, language } = useWords(WORDS);
  return (
    <Table label={words.jobs[state]} stacks>
      <thead>
        <tr>
          <th>{words.rain}</th>
          <th>{words.holds}</th>
          <th>{words.attempts}</th>
          <th>{words.error}</th>
          <th>{state === 'delayed' ? words.nextTry : words.added}</th>
          <th>{words.id}</th>
        </tr>
      </thead>
      <tbody>
        {jobs.map(({ id, rainId, saleId, entries, attempts, attemptsMax, error, nextAt, addedAt }) => {
          const at = state === 'delayed' ? nextAt : addedAt;
          return (
            <tr key={id} data-testid="job">
              <th scope="row">
                {rainId !== undefined ? (
                  <a class="about" href={hashOf({ screen: 'rain', rainId })}>
                    {rainId}
                  </a>
                ) : saleId !== undefined ? (
                  <a class="about" href={hashOf({ screen: 'sale', saleId })}>
                    {saleId}
                  </a>
                ) : (
                  '–'
                )}
              </th>
              <td>
                {entries === undefined
                  ? words.foreign
                  : rainId === undefined
                    ? words.orders(entries)
                    : words.wins(entries)}
              </td>
              <td>{words.attempt(attempts, attemptsMax)}</td>
              <td class="error">{error ?? words.noError}</td>
              <td class="moment">{at === undefined ? '–' : <time dateTime={at}>{momentText(at, language)}</time>}</td>
              <td class="job-id">
                <code>{id}</code>
              </td>
            </tr>
          );
        })}
      </tbody>
    </Table>
  );
}
