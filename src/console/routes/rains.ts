import { auditRain, isInOrder, type Audit } from '../../operator/audit.ts';
import { describeToldTwice } from '../../operator/audit/findings.ts';
import { createRain } from '../../operator/create.ts';
import { listRains, showRain } from '../../operator/list.ts';
import { loadRain } from '../../operator/load.ts';
import { previewRain } from '../../operator/preview.ts';
import { verifyRain } from '../../operator/verify.ts';
import { formatMoney } from '../../rain/money.ts';
import { rainsApi } from '../contract/rains.ts';
import { answerOf, declined, declinedFor, definedFields, rainRoute, route, type Route } from './route.ts';

const LOST_SHOWN_MAX = 100;

export const rainRoutes: readonly Route[] = [
  route(rainsApi.list, async ({ context, query: { limit } }) => ({ answer: await listRains(context, limit) })),

  route(rainsApi.create, async ({ context, body: { load, dryRun, plan, opensAt, closesAt, ...options } }) => {
    const created = await createRain(context, { plan, opensAt, closesAt, ...definedFields(options) }, { dryRun });
    if (!created.ok) return declinedFor(created.refusals);
    const { ok: _, funded: __, ...plain } = created;
    if (!load || dryRun) return { answer: plain };
    const loaded = await loadRain(context, created.rainId);
    return loaded.ok ? { answer: { ...plain, loaded: loaded.packets } } : declinedFor(loaded.refusals);
  }),

  route(rainsApi.preview, async ({ body: { plan, draws } }) => ({ answer: previewRain(plan, draws) })),

  route(rainsApi.show, async ({ context, params: { rainId } }) => {
    const rain = await showRain(context, rainId);
    return rain ? { answer: rain } : declined('no_such_rain');
  }),

  rainRoute(rainsApi.load, async ({ context, params: { rainId } }) => {
    const loaded = await loadRain(context, rainId);
    return loaded.ok ? { answer: { state: (await showRain(context, rainId))?.state ?? 'loaded', packets: loaded.packets } } : declinedFor(loaded.refusals);
  }),

  route(rainsApi.audit, async ({ context, params: { rainId } }) => {
    const audit = await auditRain(context, rainId);
    return audit ? { answer: auditAnswer(audit) } : declined('no_such_rain');
  }),

  rainRoute(rainsApi.verify, async ({ context, params: { rainId } }) => {
    return answerOf(await verifyRain(context, rainId, []));
  }),
];

function auditAnswer(audit: Audit) {
  const { report, problems, toldTwice, lostFromLog, queues } = audit;
  return {
    ...report, in_order: isInOrder(audit), findings: [...problems, ...toldTwice.map(describeToldTwice)],
    lost_from_log: lostFromLog.slice(0, LOST_SHOWN_MAX).map(({ redPacketId, amountCents, userId }) => ({ redPacketId, amount: formatMoney(amountCents), userId })),
    ...(queues && { queues: { jobs: queues.jobs, dead: { count: queues.dead.count, amount: formatMoney(queues.dead.cents) }, complete: queues.complete } }),
  };
}
