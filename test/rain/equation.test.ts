import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isBalanced, auditReport, toReport, type Equation, type Share } from '../../src/rain/equation.ts';

const PARTS = ['credited', 'pending', 'unclaimed', 'recycled', 'spoiled'] as const;
const share = (count: number, cents: bigint): Share => ({ count, cents });

const BALANCED: Equation = {
  budget: share(10, 10_000n),
  credited: share(4, 4_001n),
  pending: share(2, 1_999n),
  unclaimed: share(3, 3_500n),
  recycled: share(0, 0n),
  spoiled: share(1, 500n),
};

const anyShare = fc.record({ count: fc.nat({ max: 1_000_000 }), cents: fc.bigInt({ min: 0n, max: 10n ** 12n }) });
const anyBalanced = fc.tuple(anyShare, anyShare, anyShare, anyShare, anyShare).map((shares): Equation => {
  const [credited, pending, unclaimed, recycled, spoiled] = shares;
  const budget = shares.reduce((sum, { count, cents }) => share(sum.count + count, sum.cents + cents));
  return { budget, credited, pending, unclaimed, recycled, spoiled };
});

describe('[R8] the money equation', () => {
  test('holds for every division of a budget', () => {
    fc.assert(
      fc.property(anyBalanced, (equation) => {
        expect(isBalanced(equation)).toBe(true);
      }),
    );
  });

  test('fails for one cent too many or too few, in any term', () => {
    fc.assert(
      fc.property(
        anyBalanced,
        fc.constantFrom('budget' as const, ...PARTS),
        fc.constantFrom(1n, -1n),
        (equation, term, cent) => {
          expect(isBalanced({ ...equation, [term]: share(equation[term].count, equation[term].cents + cent) })).toBe(
            false,
          );
        },
      ),
    );
  });

  test('fails for one packet too many or too few, in any term, though the money agrees', () => {
    fc.assert(
      fc.property(
        anyBalanced,
        fc.constantFrom('budget' as const, ...PARTS),
        fc.constantFrom(1, -1),
        (equation, term, packet) => {
          expect(isBalanced({ ...equation, [term]: share(equation[term].count + packet, equation[term].cents) })).toBe(
            false,
          );
        },
      ),
    );
  });

  test('fails when a negative term hides money from nowhere behind a total that agrees', () => {
    expect(isBalanced({ ...BALANCED, pending: share(2, -1n), unclaimed: share(3, 5_500n) })).toBe(false);
    expect(isBalanced({ ...BALANCED, pending: share(-1, 1_999n), unclaimed: share(6, 3_500n) })).toBe(false);
  });

  test('is reported with amounts as strings, winners being those credited and those waiting for it', () => {
    expect(toReport('spring-1', BALANCED)).toEqual({
      rainId: 'spring-1',
      budget: '100.00',
      credited: '40.01',
      pending: '19.99',
      unclaimed: '35.00',
      recycled: '0.00',
      spoiled: '5.00',
      packets: 10,
      winners: 6,
      balanced: true,
    });
  });

  test('is reported correctly when it is not balanced, also with negative terms', () => {
    const report = toReport('spring-1', { ...BALANCED, pending: share(2, -150n) });
    expect(report).toMatchObject({ pending: '-1.50', balanced: false });
    expect(auditReport.parse(JSON.parse(JSON.stringify(report)))).toEqual(report);
  });
});
