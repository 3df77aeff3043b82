import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { allocationOf } from '../../src/ledger/allocation.ts';
import { refusalOf } from '../../src/ledger/refusal.ts';
import type { NewRain } from '../../src/ledger/rains.ts';
import type { Claim } from '../../src/rain/claim.ts';
import { formatMoney, parseMoney, type Cents } from '../../src/rain/money.ts';
import { redPacketId } from '../../src/rain/red-packet.ts';
import { claimOf, claimsOf, newRain } from './claims.ts';
import { refused, type OpenBook } from './openBook.ts';

const PLAN = { budget: '20.00', packets: 10, split: { method: 'double-mean' } };
const MORE = { budget: '9.00', packets: 5, split: { method: 'double-mean' } };

/**
 * A rain of several shards has an account for each; a packet's money is in the account of the shard that it was planned
 * for.
 */
export function shardAccountsContract(book: OpenBook): void {
  const seed = () => randomBytes(32).toString('hex');
  const create = (id: string, differing: Partial<NewRain> = {}) =>
    book.ledger.createRain(
      newRain(id, 2_000n, { shards: 4, packets: 10, split: PLAN, seed: seed(), ...differing }),
      'ann',
    );
  const topUp = (rainId: string) =>
    book.ledger.addTopUp(
      { id: `${rainId}/1`, rainId, budgetCents: 900n, packets: 5, split: MORE, seed: seed() },
      'ann',
    );
  async function claimsTo(rainId: string): Promise<Claim[]> {
    return Array.from(allocationOf((await book.ledger.rain(rainId))!), (cents, n) =>
      claimOf(rainId, n, {
        userId: `${rainId}-u${n}`,
        redPacketId: redPacketId(rainId, n),
        amount: formatMoney(cents),
      }),
    );
  }
  const sumBy = (claims: readonly Claim[], shards: number) =>
    Array.from({ length: shards }, (_, shard) =>
      claims.filter((__, n) => n % shards === shard).reduce((sum, { amount }) => sum + parseMoney(amount)!, 0n),
    );
  async function accounts(rainId: string, prefix = ''): Promise<Cents[]> {
    const rows = await book.database.account.findMany({
      where: { id: { startsWith: `${prefix}rain:${rainId}` } },
      orderBy: { id: 'asc' },
    });
    return rows.map(({ balanceCents }) => balanceCents);
  }
  const transfer = (values: string) =>
    book.database.$executeRawUnsafe(
      `INSERT INTO "Transfer" ("id", "kind", "debitAccountId", "creditAccountId", "amountCents", "rainId", "redPacketId", "userId") VALUES (${values})`,
    );

  describe('an account for each shard', () => {
    it('[R8] is funded with its packets, pays those wherever they were won, and is empty when the rain is settled', async () => {
      await create('split');
      expect(await accounts('split')).toEqual(sumBy(await claimsTo('split'), 4));
      expect(await topUp('split')).toMatchObject({ outcome: 'added' });
      const claims = await claimsTo('split');
      const funded = sumBy(claims, 4);
      expect(await accounts('split')).toEqual(funded);
      // Claims of one log name packets of all shards: packets move.
      const won = [14, 0, 3, 1, 9].map((n) => claims[n]!);
      expect(await book.ledger.credit(won)).toEqual(won.map(() => ({ outcome: 'posted' })));
      expect(await book.ledger.credit(won)).toEqual(won.map(() => ({ outcome: 'already' })));
      const paid = sumBy(
        claims.map((claim) => (won.includes(claim) ? claim : { ...claim, amount: '0.00' })),
        4,
      );
      expect(await accounts('split')).toEqual(funded.map((cents, shard) => cents - paid[shard]!));
      const left = 2_900n - paid.reduce((sum, cents) => sum + cents, 0n);
      await expect(book.ledger.recycle('split', left + 1n, 'ann')).rejects.toSatisfy(
        (error) => refusalOf(error)?.code === '23514',
      );
      expect(await Promise.all([1, 2].map(() => book.ledger.recycle('split', left, 'ann')))).toEqual(
        expect.arrayContaining([{ outcome: 'recycled' }, { outcome: 'already' }]),
      );
      expect(await book.ledger.recycle('split', left - 1n, 'ann')).toEqual({ outcome: 'differs', recycledCents: left });
      expect(await accounts('split')).toEqual([0n, 0n, 0n, 0n]);
      await book.ledger.settle('split');
      expect(await book.ledger.book('split')).toMatchObject({ fundedCents: 2_900n, recycledCents: left });
      expect(await book.ledger.accountFaults('split')).toEqual({ accounts: [], keptCents: 0n });
      expect(await book.ledger.settledFaults(1_000)).not.toContainEqual(expect.objectContaining({ id: 'split' }));
    });

    it('is also in test money, and only for shards that have a packet', async () => {
      await create('few', { packets: 2, split: { ...PLAN, packets: 2 }, terms: { rehearsal: true } });
      const claims = await claimsTo('few');
      expect(await accounts('few', 'shadow:')).toEqual(claims.map(({ amount }) => parseMoney(amount)));
      expect(await book.ledger.credit(claims)).toEqual([{ outcome: 'posted' }, { outcome: 'posted' }]);
      await book.ledger.settle('few');
      expect(await book.ledger.accountFaults('few')).toEqual({ accounts: [], keptCents: 0n });
      expect(await book.ledger.settledFaults(1_000)).not.toContainEqual(expect.objectContaining({ id: 'few' }));
    });

    it('gives back the money of a discarded claim from the account of its packet', async () => {
      await create('dropped');
      const before = await accounts('dropped');
      const { redPacketId: packet, userId, amount } = (await claimsTo('dropped'))[6]!;
      const cents = parseMoney(amount)!;
      expect(
        await book.ledger.discard({
          letterId: 'dropped-letter',
          rainId: 'dropped',
          entry: '{}',
          deadReason: 'refused',
          reason: 'a trial',
          actor: 'ann',
          claim: { redPacketId: packet, userId, claimedCents: cents, allocatedCents: cents },
        }),
      ).toEqual({ outcome: 'returned', amountCents: cents });
      expect(await accounts('dropped')).toEqual(before.map((held, shard) => (shard === 2 ? held - cents : held)));
    });

    it('[R8] the database takes money of a packet from no other account; a worker of an older version gives up no claim', async () => {
      await create('strict');
      const { redPacketId: packet, amount } = (await claimsTo('strict'))[1]!;
      for (const account of ['rain:strict', 'rain:strict/0', 'rain:strict/5']) {
        await transfer(
          `'credit:${packet}', 'credit', '${account}', 'user:x', ${parseMoney(amount)}, 'strict', '${packet}', 'x'`,
        ).then(
          () => expect.unreachable(account),
          (error: unknown) => {
            expect(String(error)).toContain('is not in the account');
            expect(refusalOf(error)).toBeUndefined();
          },
        );
      }
      for (const values of [
        `'fund:strict/1', 'fund', 'operator', 'rain:strict'`,
        `'fund:strict/1/4', 'fund', 'operator', 'rain:strict/4'`,
        `'recycle:strict', 'recycle', 'rain:strict', 'operator'`,
      ]) {
        await transfer(`${values}, 1, 'strict', NULL, NULL`).then(
          () => expect.unreachable(values),
          (error: unknown) => expect(String(error)).toContain('is not in the account'),
        );
      }
      for (const values of [
        `'fund:strict/1', 'fund', 'operator', 'rain:strict/1'`,
        `'fund:strict/1/2', 'fund', 'operator', 'rain:strict/1'`,
        `'fund:strict/33/1', 'fund', 'operator', 'rain:strict/1'`,
        `'fund:strict/1/16', 'fund', 'operator', 'rain:strict/16'`,
        `'fund:strict/1/1/1', 'fund', 'operator', 'rain:strict/1'`,
        `'recycle:strict', 'recycle', 'rain:strict/1', 'operator'`,
        `'recycle:strict/2', 'recycle', 'rain:strict/1', 'operator'`,
        `'recycle:strict/1/', 'recycle', 'rain:strict/1/', 'operator'`,
      ])
        await transfer(`${values}, 1, 'strict', NULL, NULL`).then(() => expect.unreachable(values), refused('23514'));
      await transfer(`'fund:strict/0/1', 'fund', 'operator', 'rain:strict/1', 1, 'strict', NULL, NULL`).then(
        () => expect.unreachable(),
        refused('23505'),
      );
    });

    it('[R8] is found when somebody has changed it', async () => {
      await create('touched');
      const [, held] = await accounts('touched');
      await book.database.$transaction([
        book.database.$executeRaw`ALTER TABLE "Account" DISABLE TRIGGER "Account_changes_by_transfer"`,
        book.database
          .$executeRaw`UPDATE "Account" SET "balanceCents" = "balanceCents" + 1 WHERE "id" = 'rain:touched/1'`,
      ]);
      expect(await book.ledger.accountFaults('touched')).toEqual({
        accounts: [{ accountId: 'rain:touched/1', balanceCents: held! + 1n, transfersCents: held! }],
        keptCents: 0n,
      });
      await book.database.$transaction([
        book.database
          .$executeRaw`UPDATE "Account" SET "balanceCents" = "balanceCents" - 1 WHERE "id" = 'rain:touched/1'`,
        book.database.$executeRaw`ALTER TABLE "Account" ENABLE TRIGGER "Account_changes_by_transfer"`,
      ]);
    });

    it('is not for a rain from before, which keeps its one account, and nothing changes that', async () => {
      await book.ledger.createRain(newRain('before', 100n), 'ann');
      await book.ledger.credit(claimsOf('before', 0, 3));
      expect(await accounts('before')).toEqual([94n]);
      for (const id of ['before', 'split'])
        await book.database
          .$executeRawUnsafe(`UPDATE "Rain" SET "accounts" = 5 - "accounts" WHERE "id" = '${id}'`)
          .then(() => expect.unreachable(), refused('23001'));
      expect(await book.ledger.rain('split')).not.toHaveProperty('accounts');
    });
  });
}
