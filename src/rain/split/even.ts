import type { PlainMethod } from './method.ts';

/** All amounts are equal; left-over cents go to random packets, one each. */
export const even: PlainMethod<'even'> = {
  name: 'even',
  label: { en: 'All alike', zh: '均分' },
  recipe:
    'every packet gets ⌊budget / packets⌋; the first (budget mod packets) of them get one cent more. Nothing is drawn.',
  rest: 'itself',
  fill(amounts, { budgetCents }) {
    const packets = BigInt(amounts.length);
    const each = budgetCents / packets;
    amounts.fill(each);
    amounts.fill(each + 1n, 0, Number(budgetCents % packets));
  },
};
