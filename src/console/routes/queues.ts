import { listQueueJobs } from '../../operator/queues/jobs.ts';
import { readQueues } from '../../operator/queues/overview.ts';
import { queuesApi } from '../contract/queues.ts';
import { AT_ONCE, inPlace } from './atOnce.ts';
import { route, type Route } from './route.ts';

export const queueRoutes: readonly Route[] = [
  route(queuesApi.list, async ({ context }) => ({ answer: await readQueues(context) })),

  route(queuesApi.jobs, ({ context, visitor, params: { name }, query: { state, page } }) =>
    inPlace(AT_ONCE.jobPages, visitor, async () => ({ answer: await listQueueJobs(context, name, state, page) })),
  ),
];
