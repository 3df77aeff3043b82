import type { Readable } from 'node:stream';
import { z } from 'zod';
import { ROUNDS_MAX } from '../../rain/campaign.ts';
import { userId } from '../../rain/ids.ts';
import type { Refusal } from '../../rain/refusal.ts';
import { liveRains, settledRains } from '../../store/rains.ts';
import { refuse, type OperatorContext, type Refused } from '../context.ts';
import { wasOpened } from '../sale/lost.ts';
import { names, NUMBER_NAMES, participantNumber } from '../lists/columns.ts';
import { openList, type Understood } from '../sheetReader.ts';
import { SheetRefused } from '../sheetRefused.ts';
import { enlistInOpenRounds } from './wins.ts';

/** Users in one list [R10]. */
const EXCLUDED_MAX = 20_000;

const LIST = {
  cells: z.object({ user: userId.optional(), number: participantNumber.optional() }),
  // `userId`: as the lists of winners and orders call it.
  aliases: { ...NUMBER_NAMES, ...names('user', '用户', '用戶', 'userid') },
  expected: 'expected a header line with the column user, or number for the list of participants (or 用户, 工号)',
} as const;

/** `excluded`: users who were not excluded before. `total`: all who are. */
interface ExcludedUsers {
  ok: true;
  excluded: number;
  total: number;
}
type Excluded = ExcludedUsers | Refused;

/** `users`: how many the list names; `first`: some of them. */
interface ReadUsers {
  users: number;
  first: string[];
  understood: Understood;
}

const FIRST_SHOWN = 5;

/**
 * Users who were credited in a settled rain, or in all rains of another campaign, win nothing in the rains of this one
 * and buy nothing in its sales. Their earlier wins and purchases in it stay theirs. Safe to repeat.
 * @param from id of the rain or campaign
 */
export async function excludeWinners(context: OperatorContext, campaignId: string, from: string): Promise<Excluded> {
  const { ledger } = context;
  if (!(await ledger.campaign(campaignId))) return noCampaign(campaignId);
  if (from === campaignId)
    return refuse(
      'winnersOf',
      `expected another campaign or rain; --exclude-earlier-winners of a round excludes the winners of ${campaignId} itself`,
    );
  const rains = (await ledger.campaign(from))
    ? await ledger.rounds(from)
    : [await ledger.rain(from)].filter((rain) => rain !== undefined);
  if (rains.length === 0) return refuse('winnersOf', `there is no rain or campaign with rounds ${from}`);
  const open = rains.find(({ settledAt }) => settledAt === undefined);
  if (open) return refuse('winnersOf', `${open.id} is not settled yet, so not all of its winners are known`);
  if (rains.every(({ terms }) => terms.rehearsal))
    return refuse('winnersOf', `${from} was a rehearsal, in which nobody has won money`);
  return known(
    context,
    campaignId,
    await ledger.excludeWinners(
      campaignId,
      { id: from, rainIds: rains.filter(({ terms }) => !terms.rehearsal).map(({ id }) => id) },
      context.actor,
    ),
  );
}

/**
 * The same of users who have paid orders in a settled sale, or in all sales of another campaign.
 * @param from id of the sale or campaign
 */
export async function excludeBuyers(context: OperatorContext, campaignId: string, from: string): Promise<Excluded> {
  const { ledger } = context;
  if (!(await ledger.campaign(campaignId))) return noCampaign(campaignId);
  if (from === campaignId)
    return refuse(
      'buyersOf',
      `expected a sale or another campaign; what a user may buy in all sales of ${campaignId} is limited already`,
    );
  const sales = (await ledger.campaign(from))
    ? await ledger.sales(ROUNDS_MAX, { campaignId: from })
    : [await ledger.sale(from)].filter((sale) => sale !== undefined);
  if (sales.length === 0) return refuse('buyersOf', `there is no sale or campaign with sales ${from}`);
  const open = sales.find(({ settledAt }) => settledAt === undefined);
  if (open) return refuse('buyersOf', `${open.id} is not settled yet, so not all of its buyers are known`);
  if (sales.every(({ rehearsal }) => rehearsal))
    return refuse('buyersOf', `${from} was a rehearsal, in which nobody has bought anything`);
  return known(
    context,
    campaignId,
    await ledger.excludeBuyers(
      campaignId,
      { id: from, saleIds: sales.filter(({ rehearsal }) => !rehearsal).map(({ id }) => id) },
      context.actor,
    ),
  );
}

/**
 * Users of a list win and buy nothing in this campaign; all or none of the list. Safe to repeat.
 * @param bytes the list, see `LIST`
 * @param dryRun shows what was understood, and changes nothing
 */
export async function excludeListed(
  context: OperatorContext,
  campaignId: string,
  bytes: Readable,
  { dryRun = false } = {},
): Promise<(ExcludedUsers & ReadUsers) | Refused> {
  if (!(await context.ledger.campaign(campaignId))) return noCampaign(campaignId);
  const read = await readUsers(context, bytes);
  if ('reason' in read) return { ok: false, refusals: [read] };
  const { users, understood } = read;
  const told = { users: users.size, first: [...users].slice(0, FIRST_SHOWN), understood };
  if (dryRun) {
    const total = await context.ledger.countExclusions(campaignId);
    return { ok: true, excluded: await context.ledger.countNotExcluded(campaignId, [...users]), total, ...told };
  }
  const excluded = await context.ledger.exclude(campaignId, [...users], context.actor);
  return { ...(await known(context, campaignId, excluded)), ...told };
}

/**
 * Takes all exclusions of a campaign back, as long as no round was loaded, rain or sale: Redis does not forget them.
 */
export async function readmit(
  context: OperatorContext,
  campaignId: string,
): Promise<{ ok: true; readmitted: number } | Refused> {
  if (!(await context.ledger.campaign(campaignId))) return noCampaign(campaignId);
  // The wins of a campaign outlive its rounds for a day or more.
  const [live, settled] = await Promise.all([liveRains(context.redis), settledRains(context.redis)]);
  const loaded =
    (await context.ledger.rounds(campaignId)).find(
      ({ id, settledAt }) => settledAt !== undefined || live.has(id) || settled.has(id),
    ) ?? (await openedSale(context, campaignId));
  if (loaded)
    return refuse('id', `${loaded.id} was loaded, and does not forget who is excluded; create another campaign`);
  return { ok: true, readmitted: await context.ledger.readmit(campaignId, context.actor) };
}

async function openedSale(context: OperatorContext, campaignId: string): Promise<{ id: string } | undefined> {
  for (const sale of await context.ledger.sales(ROUNDS_MAX, { campaignId }))
    if (sale.settledAt !== undefined || (await wasOpened(context, sale.id))) return sale;
  return undefined;
}

function noCampaign(campaignId: string): Refused {
  return refuse('id', `there is no campaign ${campaignId}`);
}

async function known(context: OperatorContext, campaignId: string, excluded: number): Promise<ExcludedUsers> {
  await enlistInOpenRounds(context, campaignId);
  return { ok: true, excluded, total: await context.ledger.countExclusions(campaignId) };
}

async function readUsers(
  { ledger }: OperatorContext,
  bytes: Readable,
): Promise<{ users: Set<string>; understood: Understood } | Refusal> {
  const users = new Set<string>();
  try {
    const { understood, rows } = await openList(bytes, LIST);
    for await (const {
      line,
      cells: { user, number },
    } of rows) {
      if (users.size === EXCLUDED_MAX)
        return { field: `line ${line}`, reason: `expected at most ${EXCLUDED_MAX} users` };
      const named = user ?? (number !== undefined && (await ledger.participant(number))?.userId);
      if (named === false) return { field: `line ${line}`, reason: LIST.expected };
      if (named === undefined)
        return {
          field: `line ${line}, column number`,
          reason: `nobody on the list of participants has the number ${number}`,
        };
      users.add(named);
    }
    return users.size > 0 ? { users, understood } : { field: 'list', reason: 'expected at least one user' };
  } catch (error) {
    if (error instanceof SheetRefused) return error.refusal;
    throw error;
  }
}
