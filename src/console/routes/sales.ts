import { auditSale, type SaleAudit } from '../../operator/sale/audit.ts';
import { acknowledgeSaleTampering } from '../../operator/sale/audit/acknowledgeTampering.ts';
import { createSale, type CreateSaleRequest } from '../../operator/sale/create.ts';
import { openSale } from '../../operator/sale/open.ts';
import { keepItemPicture } from '../../operator/sale/picture.ts';
import { repairSale } from '../../operator/sale/repair.ts';
import { listSales, showSale } from '../../operator/sale/show.ts';
import { setTicketsOfSale } from '../../operator/tickets.ts';
import { topUpSale } from '../../operator/sale/topUp.ts';
import { endDryRun, endSale, pauseSale, resumeSale, startSale } from '../../operator/sale/transitions.ts';
import { writeOffSale } from '../../operator/sale/writeOff.ts';
import { itemPicturesApi } from '../contract/itemPictures.ts';
import { salesApi } from '../contract/sales.ts';
import { auditInTurn } from './atOnce.ts';
import { answerOf, declinedFor, definedFields, foundOr, route, saleRoute, type Route } from './route.ts';

export const saleRoutes: readonly Route[] = [
  route(salesApi.list, async ({ context, query: { limit } }) => ({
    answer: { sales: await listSales(context, limit) },
  })),

  route(salesApi.create, async ({ context, body: { load, dryRun, ...request } }) => {
    // The verb checks every item.
    const created = await createSale(context, definedFields(request) as CreateSaleRequest, { dryRun });
    if (!created.ok) return declinedFor(created.refusals);
    const { ok: _, ...plain } = created;
    if (!load || dryRun) return { answer: plain };
    const opened = await openSale(context, created.saleId);
    return opened.ok ? { answer: { ...plain, state: opened.state } } : declinedFor(opened.refusals);
  }),

  route(itemPicturesApi.keep, async ({ context, body }) => answerOf(await keepItemPicture(context, body))),
  route(salesApi.show, async ({ context, params: { saleId } }) =>
    foundOr('no_such_sale', await showSale(context, saleId)),
  ),
  saleRoute(salesApi.load, async ({ context, sale }) => answerOf(await openSale(context, sale.id))),
  saleRoute(salesApi.start, async ({ context, sale }) => answerOf(await startSale(context, sale.id))),
  saleRoute(salesApi.pause, async ({ context, sale }) => answerOf(await pauseSale(context, sale.id))),
  saleRoute(salesApi.resume, async ({ context, sale }) => answerOf(await resumeSale(context, sale.id))),
  saleRoute(salesApi.tickets, async ({ context, sale, body }) =>
    answerOf(await setTicketsOfSale(context, sale.id, body)),
  ),
  saleRoute(salesApi.end, async ({ context, sale, body }) =>
    body?.dryRun ? answerOf(await endDryRun(context, sale.id)) : answerOf(await endSale(context, sale.id)),
  ),
  saleRoute(salesApi.topUp, async ({ context, sale, body }) =>
    answerOf(await topUpSale(context, sale.id, definedFields(body))),
  ),

  route(salesApi.audit, ({ context, visitor, params: { saleId } }) =>
    auditInTurn(visitor, async () => {
      const audit = await auditSale(context, saleId);
      return foundOr('no_such_sale', audit && auditAnswer(audit));
    }),
  ),
  saleRoute(salesApi.repair, async ({ context, sale, body }) =>
    answerOf(await repairSale(context, sale.id, context.sendReservations, body?.dryRun)),
  ),
  saleRoute(salesApi.writeOff, async ({ context, sale, body: { reason, dryRun } }) =>
    answerOf(await writeOffSale(context, sale.id, reason, { dryRun })),
  ),
  saleRoute(salesApi.acknowledge, async ({ context, sale, body }) =>
    answerOf(await acknowledgeSaleTampering(context, sale.id, body.reason, body.dryRun)),
  ),
];

function auditAnswer({ report, problems, notices, pending, wrongCounts, wrongFields, untrue }: SaleAudit) {
  return {
    ...report,
    problems,
    notices,
    waiting: pending.length,
    wrongCounts: wrongCounts.length + wrongFields.length + untrue.length,
  };
}
