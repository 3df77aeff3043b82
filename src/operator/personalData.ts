import { iso } from '../rain/figures.ts';
import { userId } from '../rain/ids.ts';
import { formatMoney, type Cents } from '../rain/money.ts';
import { readBlocks, type Block } from '../store/blocks.ts';
import { forgetBought } from '../store/bought.ts';
import { shardKeys, shardOf } from '../store/keys.ts';
import { liveRains, settledRains } from '../store/rains.ts';
import { saleKeys } from '../store/saleKeys.ts';
import { liveSales, settledSales } from '../store/sales.ts';
import { refuse, type OperatorContext, type Refused } from './context.ts';

/** Reads of one round trip [R10]. */
const PAGE = 500;
const EXPECTED = 'expected 1 to 128 printable characters, the sub of a token';

type Row = Record<string, unknown>;

/** Everything that is kept about a user. */
interface PersonalData extends Record<
  'credits' | 'reservations' | 'orders' | 'refusals' | 'participants' | 'exclusions' | 'actions',
  Row[]
> {
  userId: string;
  exportedAt: string;
  balance: string;
  block?: Block;
  /** The entries in Redis: the claim of each rain, the reservations of each sale, as they are stored. */
  claims: Record<string, string>;
  bought: Record<string, string>;
  /** False: there are more rows of one kind than an export has. */
  complete: boolean;
}

/** Reads everything that is kept about a user; recorded. */
export async function exportUser(
  context: OperatorContext,
  id: string,
): Promise<{ ok: true; data: PersonalData } | Refused> {
  if (!userId.safeParse(id).success) return refuse('id', EXPECTED);
  const { balanceCents, complete, ...rows } = await context.ledger.personalRows(id, context.actor);
  const [block, { claims, bought }] = await Promise.all([blockOf(context, id), inRedis(context, id)]);
  const shown = Object.fromEntries(Object.entries(rows).map(([name, found]) => [name, found.map(plain)])) as Pick<
    PersonalData,
    keyof typeof rows
  >;
  return {
    ok: true,
    data: {
      userId: id,
      exportedAt: iso(Date.now()),
      balance: formatMoney(balanceCents),
      ...(block && { block }),
      claims,
      bought,
      ...shown,
      complete,
    },
  };
}

/**
 * Erases a user: in the ledger the id becomes a pseudonym of chance. Refused while anything of the user is not over, or
 * Redis has it. Safe to repeat.
 * @param balance the money in the user's wallet in the ledger: afterwards nobody can ask for it
 * @returns how many rows were changed; 0: nobody of this id is known
 */
export async function eraseUser(
  context: OperatorContext,
  id: string,
  { balance }: { balance?: string | undefined } = {},
): Promise<{ ok: true; rows: number } | Refused> {
  if (!userId.safeParse(id).success) return refuse('id', EXPECTED);
  if (await blockOf(context, id))
    return refuse('id', 'this user is blocked, and the block has the id; remove it first');
  const { claims, bought } = await inRedis(context, id);
  const [known] = [
    ...Object.keys(claims).map((rain) => `the rain ${rain}`),
    ...Object.keys(bought).map((sale) => `the sale ${sale}`),
  ];
  if (known !== undefined)
    return refuse(
      'id',
      `this user takes part in ${known}, which Redis has for 24 hours after it is settled; try again then`,
    );
  const held = formatMoney(await context.ledger.balance(id));
  if (held !== NOTHING && balance !== held)
    return refuse(
      'balance',
      `the wallet of this user holds ${held}, which nobody can ask for afterwards; expected this amount to confirm it`,
    );
  const campaigns = await context.ledger.excludedFrom(id);
  const erasing = await context.ledger.eraseUser(id, context.actor);
  if (erasing.outcome === 'not_over')
    return refuse(
      'id',
      `this user takes part in ${erasing.part}, or in its campaign, which is not settled; try again when it is`,
    );
  // Their sales are settled, and what users hold in a campaign outlives them by weeks.
  for (const campaignId of campaigns) await forgetBought(context.redis, campaignId, id);
  return { ok: true, rows: erasing.outcome === 'erased' ? erasing.rows : 0 };
}

const NOTHING = formatMoney(0n as Cents);

async function blockOf({ redis }: OperatorContext, id: string): Promise<Block | undefined> {
  return (await readBlocks(redis)).blocks.find(({ kind, who }) => kind === 'user' && who === id);
}

async function inRedis({ redis }: OperatorContext, id: string): Promise<Pick<PersonalData, 'claims' | 'bought'>> {
  const [rains, sales] = await Promise.all([
    Promise.all([settledRains(redis), liveRains(redis)]),
    Promise.all([settledSales(redis), liveSales(redis)]),
  ]);
  const read = async (keys: readonly (readonly [id: string, key: string])[]): Promise<Record<string, string>> => {
    const found: Record<string, string> = {};
    for (let from = 0; from < keys.length; from += PAGE) {
      await Promise.all(
        keys.slice(from, from + PAGE).map(async ([of, key]) => {
          const text = await redis.hget(key, id);
          if (text !== null) found[of] = text;
        }),
      );
    }
    return found;
  };
  return {
    claims: await read(
      [...new Map(rains.flatMap((some) => [...some]))].map(([rainId, { shards }]) => [
        rainId,
        shardKeys(rainId, shardOf(id, shards)).claimed,
      ]),
    ),
    bought: await read(
      [...new Map(sales.flatMap((some) => [...some]))].map(([saleId]) => [saleId, saleKeys(saleId).buyers]),
    ),
  };
}

/** A row as JSON has it: times ISO, cents as text. */
function plain(row: unknown): Row {
  return Object.fromEntries(
    Object.entries(row as Row)
      .filter(([, value]) => value !== null)
      .map(([name, value]) => [
        name,
        typeof value === 'bigint' ? String(value) : value instanceof Date ? iso(value.getTime()) : value,
      ]),
  );
}
