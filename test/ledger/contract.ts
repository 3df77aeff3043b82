import { randomBytes } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { connectDatabase, type Database } from '../../src/ledger/database.ts';
import { openLedger, type Ledger } from '../../src/ledger/ledger.ts';
import { refusalOf } from '../../src/ledger/refusal.ts';
import { randomSource, shuffle } from '../../src/rain/fairness.ts';
import { claimOf, claimsOf, expectBalanced, FIRST_WIN, newRain, sumOfFirst } from './claims.ts';

export interface Server {
  /** Of a database that is migrated and empty. */
  url: string;
  stop(): Promise<void>;
}

/** What the book promises, on whatever speaks PostgreSQL. */
export function ledgerContract(server: string, start: () => Promise<Server>): void {
  describe(`the book on ${server}`, () => {
    let started: Server;
    let database: Database;
    let ledger: Ledger;

    beforeAll(async () => {
      started = await start();
      database = connectDatabase(started.url);
      ledger = openLedger(database);
    });
    afterEach(() => expectBalanced(database));
    afterAll(async () => {
      await database?.$disconnect();
      await started?.stop();
    });

    const outcomes = async (claims: Parameters<Ledger['credit']>[0]) => (await ledger.credit(claims)).map(({ outcome }) => outcome);
    const refused = (code: string) => (error: unknown) => expect(refusalOf(error)?.code).toBe(code);

    describe('a rain', () => {
      it('is created with its account funded by the operator, and the act is recorded', async () => {
        const asked = newRain('create', 8888n);
        expect(await ledger.createRain(asked, 'ann')).toEqual({ outcome: 'created' });
        expect(await ledger.rain('create')).toMatchObject(asked);
        expect(await ledger.book('create')).toEqual({ fundedCents: 8888n, credited: { count: 0, cents: 0n }, recycledCents: 0n });
        expect(await ledger.actions('create')).toMatchObject([{ actor: 'ann', verb: 'create', details: { budget: '88.88' } }]);
      });

      it('asked for again is there already, and is not funded twice, also at the same time', async () => {
        const asked = newRain('again', 500n);
        const answers = await Promise.all([1, 2, 3].map(() => ledger.createRain(asked, 'ann')));
        expect(answers.map(({ outcome }) => outcome).sort()).toEqual(['created', 'exists', 'exists']);
        expect((await ledger.book('again'))?.fundedCents).toBe(500n);
        expect(await ledger.actions('again')).toHaveLength(1);
      });

      it('with the id of another is refused, and what differs is named [R12]', async () => {
        await ledger.createRain(newRain('taken', 500n), 'ann');
        const answer = await ledger.createRain(newRain('taken', 501n, { split: { method: 'even' }, closesAt: FIRST_WIN + 1 }), 'ann');
        expect(answer).toEqual({ outcome: 'differs', fields: ['budgetCents', 'split', 'closesAt'] });
        expect((await ledger.book('taken'))?.fundedCents).toBe(500n);
      });

      it('without a budget is refused by the database', async () => {
        await expect(ledger.createRain(newRain('free', 0n), 'ann')).rejects.toSatisfy((error) => refusalOf(error)?.code === '23514');
        expect(await ledger.rain('free')).toBeUndefined();
      });

      it('is listed, newest first', async () => {
        await ledger.createRain(newRain('listed-1', 1n), 'ann');
        await ledger.createRain(newRain('listed-2', 1n), 'ann');
        const ids = (await ledger.rains()).map(({ id }) => id);
        expect(ids.indexOf('listed-2')).toBeLessThan(ids.indexOf('listed-1'));
        expect(ids).toContain('listed-1');
      });

      it('is settled once; asking again gives the first answer', async () => {
        await ledger.createRain(newRain('settle', 1n), 'ann');
        const first = await ledger.settle('settle');
        expect(await ledger.settle('settle')).toBe(first);
        expect((await ledger.book('settle'))?.settledAt).toBe(first);
        await expect(ledger.settle('nowhere')).rejects.toThrow('no rain nowhere');
      });
    });

    describe('a credit', () => {
      it('[R5] delivered twice is posted once', async () => {
        await ledger.createRain(newRain('twice', 1_000n), 'ann');
        const claims = claimsOf('twice', 0, 5);
        expect(await outcomes(claims)).toEqual(Array(5).fill('posted'));
        expect(await outcomes(claims)).toEqual(Array(5).fill('already'));
        expect(await ledger.book('twice')).toMatchObject({ credited: { count: 5, cents: sumOfFirst(5) } });
        expect(await ledger.balance('u4')).toBe(5n);
      });

      it('[R5] in overlapping batches, and twice in one batch, is posted once', async () => {
        await ledger.createRain(newRain('overlap', 1_000n), 'ann');
        expect(await outcomes(claimsOf('overlap', 0, 4))).toEqual(Array(4).fill('posted'));
        expect(await outcomes(claimsOf('overlap', 2, 6))).toEqual(['already', 'already', 'posted', 'posted']);
        expect(await outcomes([claimOf('overlap', 6), claimOf('overlap', 6), claimOf('overlap', 0)])).toEqual(['posted', 'already', 'already']);
        expect(await ledger.book('overlap')).toMatchObject({ credited: { count: 7, cents: sumOfFirst(7) } });
      });

      it('[R5] posted by four callers at once in shuffled, overlapping batches is posted once', async () => {
        const seed = randomBytes(32).toString('hex');
        const wins = 600;
        await ledger.createRain(newRain('crowd', sumOfFirst(wins)), 'ann');
        const answers: string[] = [];
        await Promise.all([0, 1, 2, 3].map(async (caller) => {
          const order = BigInt64Array.from({ length: wins }, (_, n) => BigInt(n));
          shuffle(order, randomSource(seed, `caller ${caller}`));
          for (let at = 0; at < wins; at += 50) {
            const batch = [...order.subarray(at, at + 75)].map((n) => claimOf('crowd', Number(n)));
            answers.push(...await outcomes(batch));
          }
        }));
        const posted = answers.filter((outcome) => outcome === 'posted').length;
        expect(new Set(answers)).toEqual(new Set(['posted', 'already']));
        expect({ seed, posted }).toEqual({ seed, posted: wins });
        expect(await ledger.book('crowd')).toMatchObject({ credited: { count: wins, cents: sumOfFirst(wins) } });
      });

      it('to a packet that is another user\'s is promised twice: the first stands, the second is told what stands, nothing is paid twice', async () => {
        await ledger.createRain(newRain('packet', 1_000n), 'ann');
        const first = claimOf('packet', 7);
        await ledger.credit([first]);
        const [second, bystander] = await ledger.credit([{ ...first, userId: 'late' }, claimOf('packet', 8)]);
        expect(second).toEqual({ outcome: 'promised_twice', standing: { rainId: 'packet', redPacketId: first.redPacketId, userId: 'u7', amountCents: 8n } });
        expect(bystander).toEqual({ outcome: 'posted' });
        expect(await ledger.balance('late')).toBe(0n);
      });

      it('[R1] to a user who has another packet of this rain is promised twice', async () => {
        await ledger.createRain(newRain('user', 1_000n), 'ann');
        await ledger.credit([claimOf('user', 1)]);
        const [posting] = await ledger.credit([claimOf('user', 2, { userId: 'u1' })]);
        expect(posting).toMatchObject({ outcome: 'promised_twice', standing: { redPacketId: 'user-p1', userId: 'u1' } });
      });

      it('promised twice within one batch goes to whoever won first, wherever he stands in it', async () => {
        await ledger.createRain(newRain('order', 1_000n), 'ann');
        const won = claimOf('order', 3);
        const later = { ...won, userId: 'a-later', at: String(FIRST_WIN + 500) };
        expect(await outcomes([later, won])).toEqual(['promised_twice', 'posted']);
      });

      it('of another amount than stands is told apart and not paid', async () => {
        await ledger.createRain(newRain('amount', 1_000n), 'ann');
        await ledger.credit([claimOf('amount', 3)]);
        const [posting] = await ledger.credit([claimOf('amount', 3, { amount: '0.05' })]);
        expect(posting).toMatchObject({ outcome: 'amount_differs', standing: { amountCents: 4n } });
        expect(await outcomes([claimOf('amount', 9), claimOf('amount', 9, { amount: '0.01' })])).toEqual(['posted', 'amount_differs']);
      });

      it('to a packet that was credited in another rain is promised twice', async () => {
        await ledger.createRain(newRain('here', 1_000n), 'ann');
        await ledger.createRain(newRain('there', 1_000n), 'ann');
        await ledger.credit([claimOf('there', 1)]);
        const [posting] = await ledger.credit([claimOf('there', 1, { rainId: 'here' })]);
        expect(posting).toMatchObject({ outcome: 'promised_twice', standing: { rainId: 'there' } });
      });

      it('[R8] beyond the budget is refused, and with it its whole batch', async () => {
        await ledger.createRain(newRain('budget', 10n), 'ann');
        await ledger.credit(claimsOf('budget', 0, 3));
        await ledger.credit(claimsOf('budget', 3, 5)).then(() => expect.unreachable(), refused('23514'));
        expect(await outcomes([claimOf('budget', 3)])).toEqual(['posted']);
        expect(await ledger.book('budget')).toMatchObject({ credited: { count: 4, cents: 10n } });
      });

      it('of a rain that is not in the book is refused', async () => {
        await ledger.credit([claimOf('unknown', 0)]).then(() => expect.unreachable(), refused('23503'));
        expect(await ledger.balance('u0-of-nothing')).toBe(0n);
      });

      it('with a text PostgreSQL cannot hold is refused', async () => {
        await ledger.createRain(newRain('nul', 10n), 'ann');
        await ledger.credit([claimOf('nul', 0, { redPacketId: 'p\0' })]).then(() => expect.unreachable(), refused('22021'));
      });

      it('of several rains in one call is a mistake of the caller', async () => {
        await expect(ledger.credit([claimOf('twice', 0), claimOf('overlap', 0)])).rejects.toThrow(TypeError);
        expect(await ledger.credit([])).toEqual([]);
      });

      it('shows in the wallet and in the pages of the audit', async () => {
        await ledger.createRain(newRain('pages', 1_000n), 'ann');
        await ledger.credit(['c', 'a', 'e', 'b', 'd'].map((name, n) => claimOf('pages', n, { userId: `pages-${name}` })));
        const first = await ledger.credits('pages', undefined, 2);
        const second = await ledger.credits('pages', first.at(-1)!.userId, 2);
        const third = await ledger.credits('pages', second.at(-1)!.userId, 2);
        expect([...first, ...second, ...third].map(({ userId, amountCents }) => [userId.at(-1), amountCents]))
          .toEqual([['a', 2n], ['b', 4n], ['c', 1n], ['d', 5n], ['e', 3n]]);
        expect(await ledger.credits('pages', third.at(-1)!.userId, 2)).toEqual([]);
        expect(await ledger.wallet('pages-d')).toMatchObject({ balanceCents: 5n, credits: [{ rainId: 'pages', redPacketId: 'pages-p4', amountCents: 5n }] });
        expect(await ledger.wallet('nobody')).toEqual({ balanceCents: 0n, credits: [] });
      });
    });

    describe('recycling', () => {
      it('gives the rest back once, also when asked at the same time', async () => {
        await ledger.createRain(newRain('rest', 100n), 'ann');
        await ledger.credit(claimsOf('rest', 0, 4));
        const answers = await Promise.all([1, 2, 3].map(() => ledger.recycle('rest', 90n, 'ann')));
        expect(answers.map(({ outcome }) => outcome).sort()).toEqual(['already', 'already', 'recycled']);
        expect(await ledger.recycle('rest', 80n, 'ann')).toEqual({ outcome: 'differs', recycledCents: 90n });
        expect(await ledger.book('rest')).toMatchObject({ fundedCents: 100n, credited: { cents: 10n }, recycledCents: 90n });
        expect((await ledger.actions('rest')).map(({ verb }) => verb)).toEqual(['create', 'recycle']);
      });

      it('of nothing makes no transfer', async () => {
        await ledger.createRain(newRain('none', 100n), 'ann');
        expect(await ledger.recycle('none', 0n, 'ann')).toEqual({ outcome: 'nothing' });
        expect(await ledger.book('none')).toMatchObject({ recycledCents: 0n });
      });

      it('[R8] of more than is left is refused; of all leaves nothing to credit', async () => {
        await ledger.createRain(newRain('more', 100n), 'ann');
        await ledger.recycle('more', 101n, 'ann').then(() => expect.unreachable(), refused('23514'));
        expect(await ledger.recycle('more', 100n, 'ann')).toEqual({ outcome: 'recycled' });
        await ledger.credit([claimOf('more', 0)]).then(() => expect.unreachable(), refused('23514'));
      });
    });

    describe('the database itself', () => {
      const transfer = (values: string) => database.$executeRawUnsafe(
        `INSERT INTO "Transfer" ("id", "kind", "debitAccountId", "creditAccountId", "amountCents", "rainId", "redPacketId", "userId") VALUES (${values})`);

      it('never changes or deletes a transfer or an operator\'s action', async () => {
        await ledger.createRain(newRain('stone', 100n), 'ann');
        for (const table of ['Transfer', 'OperatorAction']) {
          for (const sql of [`UPDATE "${table}" SET "rainId" = 'x'`, `DELETE FROM "${table}"`, `TRUNCATE "${table}"`]) {
            await database.$executeRawUnsafe(sql).then(() => expect.unreachable(sql), refused('23001'));
          }
        }
      });

      it('lets nobody but the operator go below zero, or be taken for him', async () => {
        for (const values of [`'user:x', 'user', -1`, `'rain:x', 'rain', -1`, `'bank', 'operator', -1`, `'operator', 'user', 0`, `'rain:', 'rain', 0`]) {
          await database.$executeRawUnsafe(`INSERT INTO "Account" VALUES (${values})`).then(() => expect.unreachable(values), refused('23514'));
        }
      });

      it('takes no transfer that does not fit its kind', async () => {
        await ledger.createRain(newRain('kinds', 100n), 'ann');
        await ledger.credit([claimOf('kinds', 0, { userId: 'kind' })]);
        for (const values of [
          `'credit:k', 'credit', 'rain:kinds', 'user:kind', 0, 'kinds', 'k', 'kind'`,
          `'credit:k', 'credit', 'rain:kinds', 'user:kind', -5, 'kinds', 'k', 'kind'`,
          `'credit:k', 'credit', 'rain:kinds', 'user:kind', 1, 'kinds', NULL, 'kind'`,
          `'credit:k', 'credit', 'rain:kinds', 'user:kind', 1, 'kinds', 'k', NULL`,
          `'credit:other', 'credit', 'rain:kinds', 'user:kind', 1, 'kinds', 'k', 'kind'`,
          `'credit:k', 'credit', 'operator', 'user:kind', 1, 'kinds', 'k', 'kind'`,
          `'fund:kinds', 'fund', 'rain:kinds', 'operator', 1, 'kinds', NULL, NULL`,
          `'fund:kinds', 'fund', 'operator', 'rain:kinds', 1, 'kinds', 'k', NULL`,
          `'recycle:2', 'recycle', 'rain:kinds', 'operator', 1, 'kinds', NULL, NULL`,
          `'recycle:kinds', 'recycle', 'rain:kinds', 'rain:kinds', 1, 'kinds', NULL, NULL`,
        ]) {
          await transfer(values).then(() => expect.unreachable(values), refused('23514'));
        }
        await transfer(`'fund:kinds', 'fund', 'operator', 'rain:kinds', 1, 'kinds', NULL, NULL`).then(() => expect.unreachable(), refused('23505'));
      });
    });
  });
}
