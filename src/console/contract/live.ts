import { z } from 'zod';
import { endpoint } from './endpoint.ts';
import { count, money, rainParams, state, time } from './fields.ts';

const perSecond = z.number().min(0);

/** What the live screen shows, once a second. Sockets and answers are those of all gateways, whichever rain they are about. */
export const liveSample = z.object({
  at: time, state, opensAt: time, closesAt: time, packets: count, left: count, wins: count, credited: count,
  creditLagMs: z.number().min(0).nullable().describe('Since when the oldest claim waits to be credited; null: not known.'),
  sockets: count, gateways: count, grabsPerSecond: perSecond, winsPerSecond: perSecond, answersPerSecond: z.record(z.string(), perSecond),
  equation: z.object({ budget: money, credited: money, pending: money, unclaimed: money, recycled: money, spoiled: money, balanced: z.boolean(), at: time })
    .nullable().describe('As it was weighed last, at `at`: that takes 5 % of the time at most. Null until it has been weighed once.'),
});
export type LiveSample = z.infer<typeof liveSample>;

export const liveApi = {
  watch: endpoint({
    id: 'watchRain', method: 'GET', path: '/api/console/rains/:rainId/live', tag: 'live', summary: 'Server-sent events: `sample`, once a second.', who: 'viewer', params: rainParams, status: 200,
    answer: liveSample, mediaType: 'text/event-stream',
  }),
};
