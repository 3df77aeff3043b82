import { z } from 'zod';
import { count, money, perSecond, rainParams, shownState, time, type Endpoint } from './endpoint.ts';

/** The figures of the live screen, once a second. Sockets and answers are counted over all gateways and all rains. */
export const liveSample = z.object({
  at: time,
  state: shownState,
  opensAt: time,
  closesAt: time,
  packets: count,
  left: count,
  wins: count,
  credited: count,
  creditLagMs: z
    .number()
    .min(0)
    .nullable()
    .describe('How long the oldest uncredited claim has been waiting, ms. Null: not known.'),
  sockets: count,
  gateways: count,
  grabsPerSecond: perSecond,
  winsPerSecond: perSecond,
  answersPerSecond: z.record(z.string(), perSecond),
  equation: z
    .object({
      budget: money,
      credited: money,
      pending: money,
      unclaimed: money,
      recycled: money,
      spoiled: money,
      balanced: z.boolean(),
      at: time,
    })
    .nullable()
    .describe(
      'The result of the last audit, made at `at`. Audits take 5 % of the time at most. Null before the first audit.',
    ),
});
export type LiveSample = z.infer<typeof liveSample>;

export const liveApi = {
  watch: {
    id: 'watchRain',
    method: 'GET',
    path: '/api/console/rains/:rainId/live',
    tag: 'live',
    summary: 'Server-sent events: `sample`, once a second.',
    access: 'viewer',
    params: rainParams,
    status: 200,
    answer: liveSample,
    mediaType: 'text/event-stream',
  },
} satisfies Record<string, Endpoint>;
