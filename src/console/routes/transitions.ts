import { recycleRain } from '../../operator/recycle.ts';
import { rescheduleRain, startRain, type Scheduled } from '../../operator/schedule.ts';
import { closeRain, pauseRain, resumeRain } from '../../operator/transitions.ts';
import { topUpRain } from '../../operator/topUp.ts';
import { rainsApi } from '../contract/rains.ts';
import { answerOf, declinedFor, definedFields, rainRoute, type Route } from './route.ts';

/** Verbs that change an existing rain. */
export const transitionRoutes: readonly Route[] = [
  ...([[rainsApi.pause, pauseRain], [rainsApi.resume, resumeRain], [rainsApi.close, closeRain]] as const).map(([endpoint, verb]) => rainRoute(endpoint, async ({ context, params: { rainId } }) => {
    const done = await verb(context, rainId);
    return done.ok ? { answer: { state: done.state } } : declinedFor(done.refusals);
  })),

  rainRoute(rainsApi.start, async ({ context, params: { rainId }, body }) => {
    return timesAnswer(await startRain(context, rainId, { inMs: body?.inMs ?? 0 }));
  }),

  rainRoute(rainsApi.schedule, async ({ context, params: { rainId }, body }) => {
    return timesAnswer(await rescheduleRain(context, rainId, body));
  }),

  rainRoute(rainsApi.topUp, async ({ context, params: { rainId }, body }) => {
    // The plan is recorded as requested, so undefined fields must be absent.
    return answerOf(await topUpRain(context, rainId, definedFields(body)));
  }),

  rainRoute(rainsApi.recycle, async ({ context, params: { rainId } }) => {
    const done = await recycleRain(context, rainId, context);
    return done.ok ? { answer: { state: done.state, amount: done.amount } } : declinedFor(done.refusals);
  }),
];

function timesAnswer(done: Scheduled) {
  return done.ok ? { answer: { state: done.state, opensAt: done.opensAt, closesAt: done.closesAt } } : declinedFor(done.refusals);
}
