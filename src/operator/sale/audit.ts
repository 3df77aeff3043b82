import type { BookedDiscard } from '../../ledger/discard.ts';
import type { BookedSale } from '../../ledger/sales.ts';
import type { Refusal } from '../../ledger/refusals.ts';
import type { BookedStock } from '../../ledger/stock.ts';
import type { Reservation } from '../../sale/reservation.ts';
import { reservationOrdinal } from '../../sale/ids.ts';
import { isBalanced, type ItemEquation } from '../../sale/equation.ts';
import { liveSales } from '../../store/sales.ts';
import { foreignTold } from '../../store/toldReservations.ts';
import { countUndelivered } from '../../store/undelivered.ts';
import { foreignKeys } from '../../store/saleKeys.ts';
import { recordedWindows } from '../audit/windows.ts';
import type { OperatorContext } from '../context.ts';
import { nameUnlogged } from './audit/buyers.ts';
import { compareCounts } from './audit/counts.ts';
import { readExplained } from './audit/explained.ts';
import { createFindings, type SaleFindings, type SaleTampering } from './audit/findings.ts';
import { madeNow, readHeld, type HeldSale } from './audit/held.ts';
import { compareStock } from './audit/ledgerSide.ts';
import { nameBeyond } from './audit/limits.ts';
import { ordersOf, readSaleLog } from './audit/log.ts';
import { emptyLog, type Logged, type Untrue } from './audit/saleLog.ts';
import { compareSaleState } from './audit/state.ts';
import type { WrongField } from './audit/wrongField.ts';
import { progressOf, STATES } from './expectedState.ts';
import { saleKeyName } from './keyName.ts';
import { lostSaleReason, noSaleReason, wasOpened } from './lost.ts';
import { heldReason, pausedNotice, pauseReason } from './stopped.ts';
import { findLostReservations } from './toldReservations.ts';

/** The output of `rain sale audit --json`. */
interface SaleReport {
  saleId: string;
  items: ItemEquation[];
  orders: number;
  buyers: number;
  balanced: boolean;
  /** Only for a rehearsal: nothing of it is shipped. */
  rehearsal?: true;
}

export interface SaleAudit {
  report: SaleReport;
  /** Facts that break the equation or have no known cause, one sentence each. At most 100. */
  problems: string[];
  /** Steps that the operator should repeat. The units add up all the same. */
  notices: string[];
  /** Genuine reservations of the log without an order: on their way, or lost. */
  pending: Logged[];
  /** Counts of Redis that are wrong, and what they should be. Empty when anything else speaks against log or ledger. */
  wrongCounts: WrongField[];
  /** Other fields of Redis that are wrong, such as the state of the sale. */
  wrongFields: WrongField[];
  /** Nothing speaks against the sale but its state in Redis: then it may go on. */
  isStateOnly: boolean;
  /** Changes by hand in Redis or in the database; their sentences are in `problems`, too. */
  tampering: SaleTampering[];
  /** Reservations that the ledger has refused: no order will follow. */
  refused: number;
  /** Refusals that Redis does not know, so that their buyers still wait. */
  untold: Refusal[];
  /** Reservations that buyers were told, and that neither Redis nor the ledger has. */
  lost: Reservation[];
  /** Wrong statuses that Redis tells buyers. */
  untrue: Untrue[];
  /**
   * Entries of the log that are no reservations and are explained: their letters were discarded, or the findings
   * acknowledged.
   */
  explained: number;
  /** Redis holds the sale, for this reason. `isNeedless`: nothing else speaks against it. */
  hold?: { reason: string; isNeedless: boolean };
  /** The operator's explanations; the first of them. */
  acknowledged: BookedDiscard[];
  /**
   * Orders whose status Redis has lost again, and whether it has lost reservations that have an order: what a failover
   * leaves.
   */
  behind: string[];
  hasLostSome: boolean;
}

const PROBLEMS_MAX = 100;

/**
 * Checks the equation [R8] of each item of a sale, from the ledger and the reservation log, and compares the two with
 * Redis. It also holds while people buy: Redis is read before the ledger, the direction in which a reservation moves,
 * and counts are compared within bounds.
 * @returns undefined when there is no such sale
 */
export async function auditSale(context: OperatorContext, saleId: string): Promise<SaleAudit | undefined> {
  const first = await auditOnce(context, saleId);
  if (!first || (first.problems.length === 0 && first.untold.size === 0)) return first?.audit;
  // Read everything again before anybody is accused: an operator's command may have come in between two reads.
  return (await auditOnce(context, saleId, first))?.audit;
}

/** The findings of one look. */
interface Look {
  audit: SaleAudit;
  problems: string[];
  keys: ReadonlySet<string>;
  behind: ReadonlySet<string>;
  untold: ReadonlyMap<string, Refusal>;
}

type Windows = ReturnType<typeof recordedWindows>;
type Actions = Awaited<ReturnType<OperatorContext['ledger']['actions']>>;
type Explained = Awaited<ReturnType<typeof readExplained>>;

/** Entries that Redis may have lost in a failover, or the ledger in a restore: then its counts prove nothing. */
const LOSSES = /^(missing|unmade|differs|ahead)\b/;

async function auditOnce(
  context: OperatorContext,
  saleId: string,
  before?: Pick<Look, 'keys' | 'behind' | 'untold'>,
): Promise<Look | undefined> {
  const { isDiscarded, isAcknowledged, list: acknowledged } = await readExplained(context, saleId);
  const findings = createFindings(isAcknowledged);
  const earlier = await context.ledger.followedUnits(saleId);
  const planned = await context.ledger.sale(saleId);
  if (!planned) return undefined;
  const isForeign = await noteForeign(context, saleId, findings);
  const held = isForeign ? undefined : await readHeld(context, planned);
  // Read again: window and top-ups are in the ledger before they are in Redis.
  const sale = (await context.ledger.sale(saleId))!;
  const actions = await context.ledger.actions(saleId);
  const windows = recordedWindows(sale, actions);
  const signedBy = saleKeyName(actions);
  const unsigned = unsignedKind(context, signedBy);
  const { notices, wrong, log } = held
    ? await compareHeld(context, { ...sale, signedBy, unsigned }, held, { windows, actions, isDiscarded }, findings)
    : { notices: [], wrong: [], log: emptyLog() };
  if (!held && !isForeign) await noteLost(context, sale, findings);

  const stock = await context.ledger.stock(saleId);
  const [after, faults] = [await context.ledger.followedUnits(saleId), await context.ledger.stockFaults(saleId)];
  compareStock(stock, faults, findings);
  if (held) nameUnmade(saleId, faults.newest, await madeNow(context, saleId), findings);
  const ordered = held ? await context.ledger.ordersUpTo(saleId, held.made) : 0;
  // Orders that were written since the log was read are in the stock already.
  const written = await ordersOf(context, log.waiting);
  const pending = log.waiting.filter(({ reservation }) => !written.has(reservation.reservationId));
  const missing = ordered - log.ordered - written.size;
  noteMissing(missing, findings);
  const behind = [...log.behind].filter((id) => before?.behind.has(id));
  const hasLostSome = [...findings.keys()].some((key) => LOSSES.test(key));
  const lost = await findLostReservations(context, saleId);
  noteTold(lost, findings);
  const untold = [...log.untold].filter(([name]) => before?.untold.has(name)).map(([, refusal]) => refusal);
  nameBeyond(log, isDiscarded, hasLostSome, findings);
  const isSound = findings.keys().size === 0 && behind.length + untold.length === 0;
  const kind = mayHaveLost(hasLostSome, behind, log) ? undefined : 'counts';
  // Redis need not know the units that the shop got back at the end of a sale.
  const unsettled = sale.settledAt === undefined ? held : undefined;
  const wrongCounts = sale.items.flatMap(({ sku }) =>
    unsettled
      ? compareCounts(
          sku,
          unsettled.stock,
          { before: earlier, after, logged: log.units.get(sku) ?? 0, kept: log.kept.get(sku) ?? 0 },
          findings,
          kind,
        )
      : [],
  );
  const told = findings.sentences(before?.keys);
  // An empty text holds nothing, see lua/reserve.lua.
  const reason = unsettled?.state['held'] || undefined;
  const problems = reason === undefined ? told : [heldReason(saleId, reason), ...told];
  notices.push(...(await pauseNotices(context, saleId, held)));
  const items = stock.map((item) => equationOf(item, pending));
  const report = reportOf(sale, items, faults, problems.length === 0);
  return {
    problems,
    keys: findings.keys(),
    behind: log.behind,
    untold: log.untold,
    audit: {
      report,
      problems: problems.slice(0, PROBLEMS_MAX),
      notices,
      pending,
      wrongCounts: isSound ? wrongCounts : [],
      wrongFields: wrong.filter(({ key }) => before?.keys.has(key)).map(({ key: _, ...field }) => field),
      isStateOnly: [...findings.keys()].every((key) => key === 'state') && behind.length + untold.length === 0,
      tampering: findings.tampering(before?.keys),
      refused: log.refused,
      explained: log.explained,
      acknowledged,
      ...(reason !== undefined && { hold: { reason, isNeedless: isSound && wrongCounts.length === 0 } }),
      untold,
      lost: lost.filter(({ reservationId, userId }) => before?.keys.has(`told ${reservationId} ${userId}`)),
      untrue: log.untrue.filter(({ key }) => before?.keys.has(key)),
      behind,
      hasLostSome,
    },
  };
}

/** Without the sale's key nobody can be accused: what gateways have signed cannot be told from what nobody has. */
function unsignedKind({ signer }: OperatorContext, signedBy: string | undefined): 'not_signed' | undefined {
  return signedBy === undefined || signer.under(signedBy) ? 'not_signed' : undefined;
}

/** Whether counts of Redis may differ because it has lost something. */
const mayHaveLost = (hasLostSome: boolean, behind: readonly string[], { redrawn }: { redrawn: number }): boolean =>
  hasLostSome || behind.length > 0 || redrawn > 0;

async function pauseNotices(context: OperatorContext, saleId: string, held: HeldSale | undefined): Promise<string[]> {
  const paused = held?.state['state'] === 'paused' ? await pauseReason(context, saleId) : undefined;
  return paused === undefined ? [] : [pausedNotice(saleId, paused)];
}

function reportOf(
  { id, rehearsal }: BookedSale,
  items: ItemEquation[],
  { orderCount, buyers }: { orderCount: number; buyers: number },
  hasNoProblem: boolean,
): SaleReport {
  return {
    saleId: id,
    items,
    orders: orderCount,
    buyers,
    balanced: items.every(isBalanced) && hasNoProblem,
    ...(rehearsal && { rehearsal: true as const }),
  };
}

function noteMissing(missing: number, findings: SaleFindings): void {
  if (missing > 0)
    findings.note(
      'missing',
      `the ledger has ${missing} orders of reservations that Redis does not have: it has lost them`,
    );
}

function noteTold(lost: readonly Reservation[], findings: SaleFindings): void {
  for (const { reservationId, userId, quantity, sku } of lost)
    findings.note(
      `told ${reservationId} ${userId}`,
      `${userId} was told the reservation ${reservationId}, ${quantity} ${sku}, and neither Redis nor the ledger has it: Redis has lost it`,
    );
}

/** Keys of the sale of another type than ours. @returns whether nothing of the sale can be read */
async function noteForeign({ redis }: OperatorContext, saleId: string, findings: SaleFindings): Promise<boolean> {
  const foreign = await foreignKeys(redis, saleId);
  for (const { name, type, expected } of foreign)
    findings.note(
      `type ${name}`,
      `Redis has a ${type} as ${name} of the sale, expected a ${expected}: somebody has changed it, and nothing of the sale can be read; give it up with: rain sale write-off ${saleId} --reason "…"`,
      'type',
    );
  const inPlaceOfTold = await foreignTold(redis, saleId);
  if (inPlaceOfTold !== undefined)
    findings.note(
      'type told',
      `Redis has a ${inPlaceOfTold} in the place of the told reservations that were written down, expected a hash: somebody has changed it, and what gateways have written there is lost`,
      'type',
    );
  return foreign.length > 0;
}

/** Redis has nothing of the sale, although it was opened. */
async function noteLost(
  context: OperatorContext,
  { id, settledAt }: BookedSale,
  findings: SaleFindings,
): Promise<void> {
  if (settledAt === undefined && (await wasOpened(context, id))) findings.note('lost', lostSaleReason(id));
}

/** State and log of the sale in Redis, compared with the ledger. */
async function compareHeld(
  context: OperatorContext,
  sale: BookedSale & { signedBy: string | undefined; unsigned: 'not_signed' | undefined },
  held: HeldSale,
  { windows, actions, isDiscarded }: { windows: Windows; actions: Actions; isDiscarded: Explained['isDiscarded'] },
  findings: SaleFindings,
): Promise<{ notices: string[]; wrong: (WrongField & { key: string })[]; log: ReturnType<typeof emptyLog> }> {
  const { id: saleId, signedBy, unsigned } = sale;
  const notices: string[] = [];
  const undelivered = await countUndelivered(context.redis, saleId);
  if (undelivered > 0)
    notices.push(
      `${undelivered} orders have timed out before the shop has confirmed them; the log of the worker says why`,
    );
  if (!unsigned)
    findings.note(
      'other key',
      `the reservations of the sale are signed with another SIGNING_SECRET than this process has, by the name of ${signedBy}: whether somebody else has written one cannot be said here`,
    );
  const differences = compareSaleState(
    sale,
    held.state,
    held.stock,
    { windows, states: STATES[progressOf(sale, actions, held.now)] },
    findings,
  );
  notices.push(...differences.notices);
  const log = await readSaleLog(context, sale, held, { windows, now: held.now }, isDiscarded, findings);
  const refused = await nameUnlogged(context, { saleId, made: held.made, unsigned }, log, findings);
  // A number that a failover has lost leaves a gap; the highest is always in the log, or refused.
  if (held.made !== Math.max(log.newest, refused))
    findings.note(
      'made',
      `Redis counts ${held.made} reservations, and the log has ${held.logged - log.explained}`,
      'made',
    );
  return { notices, wrong: differences.wrong, log };
}

/** An order has its reservation's number, and Redis has drawn it before. */
function nameUnmade(saleId: string, newest: readonly string[], made: number, findings: SaleFindings): void {
  for (const id of newest)
    if (reservationOrdinal(saleId, id)! > made)
      findings.note(
        `unmade ${id}`,
        `there is an order ${id}, and Redis has made ${made} reservations: it has lost this one, or it was never made`,
      );
}

function equationOf(
  { sku, units, created, paid, accounts }: BookedStock,
  reservations: readonly Logged[],
): ItemEquation {
  const pending = reservations.reduce(
    (sum, { reservation }) => sum + (reservation.sku === sku ? reservation.quantity : 0),
    0,
  );
  return {
    sku,
    units,
    sold: paid,
    reserved: created,
    pending,
    left: accounts.available - pending,
    returned: units + accounts.shop,
  };
}

/** One audited sale. `fault`: it could not be audited, which must not hide the others. */
export type AuditedSale = { saleId: string; title: string } & ({ audit: SaleAudit } | { fault: unknown });

/** Audits many sales one after the other, newest first; those that only Redis knows come last. */
export async function* auditSales(
  context: OperatorContext,
  which: 'all' | 'unsettled',
  limit: number,
): AsyncGenerator<AuditedSale> {
  const listed: Pick<BookedSale, 'id' | 'title'>[] = await context.ledger.sales(limit, which);
  for (const { id: saleId, title } of listed) {
    try {
      const audit = await auditSale(context, saleId);
      if (audit) yield { saleId, title, audit };
    } catch (fault) {
      yield { saleId, title, fault };
    }
  }
  for (const [saleId, { title }] of await liveSales(context.redis))
    if (!(await context.ledger.sale(saleId)))
      yield { saleId, title, fault: new Error(await noSaleReason(context, saleId)) };
}
