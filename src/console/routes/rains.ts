import { auditRain, isInOrder, type Audit } from '../../operator/audit.ts';
import { describeToldTwice } from '../../operator/audit/findings.ts';
import { createRain, type CreateRequest } from '../../operator/create.ts';
import { listRains, showRain } from '../../operator/list.ts';
import { loadRain } from '../../operator/load.ts';
import { previewAside } from '../../operator/previewThread.ts';
import { recycleRain } from '../../operator/recycle.ts';
import { rescheduleRain, startRain } from '../../operator/schedule.ts';
import { setTickets } from '../../operator/tickets.ts';
import { topUpRain } from '../../operator/topUp.ts';
import { closeRain, pauseRain, resumeRain } from '../../operator/transitions.ts';
import { verifyRain } from '../../operator/verify.ts';
import { formatMoney } from '../../rain/money.ts';
import { rainsApi } from '../contract/rains.ts';
import { AT_ONCE, auditInTurn, inPlace } from './atOnce.ts';
import { answerOf, declinedFor, definedFields, foundOr, rainRoute, route, type Route } from './route.ts';

const LOST_SHOWN_MAX = 100;

export const rainRoutes: readonly Route[] = [
  route(rainsApi.list, async ({ context, query: { limit } }) => ({ answer: await listRains(context, limit) })),

  route(rainsApi.create, async ({ context, body: { load, dryRun, plan, opensAt, closesAt, ...options } }) => {
    const created = await createRain(context, { plan, opensAt, closesAt, ...definedFields(options) } as CreateRequest, {
      dryRun,
    });
    if (!created.ok) return declinedFor(created.refusals);
    const { ok: _, funded: __, ...plain } = created;
    if (!load || dryRun) return { answer: plain };
    const loaded = await loadRain(context, created.rainId);
    return loaded.ok ? { answer: { ...plain, loaded: loaded.packets } } : declinedFor(loaded.refusals);
  }),

  route(rainsApi.preview, ({ visitor, body: { plan, draws } }) =>
    inPlace(AT_ONCE.previews, visitor, async () => ({ answer: await previewAside(plan, draws) })),
  ),

  route(rainsApi.show, async ({ context, params: { rainId } }) =>
    foundOr('no_such_rain', await showRain(context, rainId)),
  ),

  rainRoute(rainsApi.load, async ({ context, rain: { id } }) => {
    const loaded = await loadRain(context, id);
    return loaded.ok
      ? { answer: { state: (await showRain(context, id))?.state ?? 'loaded', packets: loaded.packets } }
      : declinedFor(loaded.refusals);
  }),

  route(rainsApi.audit, ({ context, visitor, params: { rainId } }) =>
    auditInTurn(visitor, async () => {
      const audit = await auditRain(context, rainId);
      return foundOr('no_such_rain', audit && auditAnswer(audit));
    }),
  ),

  rainRoute(rainsApi.verify, ({ context, visitor, rain }) =>
    auditInTurn(visitor, async () => answerOf(await verifyRain(context, rain.id, []))),
  ),
  rainRoute(rainsApi.pause, async ({ context, rain }) => answerOf(await pauseRain(context, rain.id))),
  rainRoute(rainsApi.resume, async ({ context, rain }) => answerOf(await resumeRain(context, rain.id))),
  rainRoute(rainsApi.close, async ({ context, rain }) => answerOf(await closeRain(context, rain.id))),
  rainRoute(rainsApi.start, async ({ context, rain, body }) => answerOf(await startRain(context, rain.id, body ?? {}))),
  rainRoute(rainsApi.schedule, async ({ context, rain, body }) =>
    answerOf(await rescheduleRain(context, rain.id, body)),
  ),
  rainRoute(rainsApi.topUp, async ({ context, rain, body }) =>
    answerOf(await topUpRain(context, rain.id, definedFields(body))),
  ),
  rainRoute(rainsApi.tickets, async ({ context, rain, body }) => answerOf(await setTickets(context, rain.id, body))),
  rainRoute(rainsApi.recycle, async ({ context, rain }) => answerOf(await recycleRain(context, rain.id, context))),
];

function auditAnswer(audit: Audit) {
  const { report, problems, notices, toldTwice, lostFromLog, queues } = audit;
  return {
    ...report,
    in_order: isInOrder(audit),
    findings: [...problems, ...notices, ...toldTwice.map(describeToldTwice)],
    lost_from_log: lostFromLog
      .slice(0, LOST_SHOWN_MAX)
      .map(({ redPacketId, amountCents, userId }) => ({ redPacketId, amount: formatMoney(amountCents), userId })),
    ...(queues && {
      queues: {
        jobs: queues.jobs,
        dead: { count: queues.dead.count, amount: formatMoney(queues.dead.cents) },
        complete: queues.complete,
      },
    }),
  };
}
