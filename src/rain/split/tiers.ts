import { formatMoney } from '../money.ts';
import type { Refusal } from '../refusal.ts';
import { doubleMean } from './double-mean.ts';
import { figure } from '../figures.ts';
import { rowsMethod, shareRefusals } from './method.ts';

/** Fixed prizes first, e.g. 1 × 888.00 and 10 × 88.80; the rest by double-mean. */
export const tiers = rowsMethod({
  name: 'tiers',
  label: { en: 'Prizes + chance', zh: '固定奖 + 拼手气' },
  recipe: `the packets of the first tier, of the second, and so on; then \`double-mean\` for the packets and the cents that
  are left.`,
  // The prizes belong to the rain as it was planned.
  rest: doubleMean,
  rows: {
    field: 'tiers',
    one: 'prize',
    many: 'prizes',
    // People read the prizes, and each is checked.
    rowsMax: 100,
    columns: { count: { kind: 'whole', one: 'packet', many: 'packets' }, amount: { kind: 'amount' } },
    option: { flag: 'tier', value: 'COUNTxAMOUNT', example: '10x88.80', meaning: 'a fixed prize' },
    form: {
      title: { en: 'Fixed prizes', zh: '固定奖' },
      add: { en: 'Another prize', zh: '再加一档' },
      remove: { en: 'Remove prize', zh: '删除此档' },
      columns: { count: { en: 'How many', zh: '个数' }, amount: { en: 'Each', zh: '每个' } },
      first: { count: '1', amount: '' },
    },
  },
  reasonsZh: [
    [
      /^([\d,]+) packets? of at least ([\d.]+) would take ([\d.]+), more than what the prizes leave, ([\d.]+)$/,
      '$1 个红包每个至少 $2，共需 $3，超过固定奖之外剩余的 $4',
    ],
    [
      /^([\d,]+) packets? of at most ([\d.]+) can hold ([\d.]+), less than what the prizes leave, ([\d.]+)$/,
      '$1 个红包每个最多 $2，只能装下 $3，少于固定奖之外剩余的 $4',
    ],
    [/^the prizes hold ([\d,]+) packets, more than the rain's ([\d,]+)$/, '固定奖共 $1 个，超过红包总数 $2'],
    [/^the prizes hold ([\d.]+), more than the budget ([\d.]+)$/, '固定奖共 $1，超过预算 $2'],
  ],
  check(budget, rows) {
    const { budgetCents, packets, minCents, maxCents } = budget;
    const refusals: Refusal[] = [];
    rows.forEach(({ amount }, index) => {
      const field = `split.tiers.${index}.amount`;
      if (amount < minCents)
        refusals.push({
          field,
          reason: `${formatMoney(amount)} is below the smallest packet, ${formatMoney(minCents)}`,
        });
      if (amount > maxCents)
        refusals.push({
          field,
          reason: `${formatMoney(amount)} is above the largest packet, ${formatMoney(maxCents)}`,
        });
    });
    const held = {
      packets: rows.reduce((sum, { count }) => sum + count, 0),
      cents: rows.reduce((sum, { count, amount }) => sum + BigInt(count) * amount, 0n),
    };
    const tooMany = held.packets > packets;
    const tooMuch = held.cents > budgetCents;
    if (tooMany)
      refusals.push({
        field: 'split.tiers',
        reason: `the prizes hold ${figure(held.packets)} packets, more than the rain's ${figure(packets)}`,
      });
    if (tooMuch)
      refusals.push({
        field: 'split.tiers',
        reason: `the prizes hold ${formatMoney(held.cents)}, more than the budget ${formatMoney(budgetCents)}`,
      });
    if (tooMany || tooMuch) return refusals;
    const rest = { ...budget, packets: packets - held.packets, budgetCents: budgetCents - held.cents };
    return [...refusals, ...shareRefusals(rest, 'split.tiers', 'what the prizes leave,')];
  },
  fill(amounts, budget, random, rows) {
    let at = 0;
    let left = budget.budgetCents;
    for (const { count, amount } of rows) {
      amounts.fill(amount, at, at + count);
      at += count;
      left -= BigInt(count) * amount;
    }
    doubleMean.fill(amounts.subarray(at), { ...budget, packets: amounts.length - at, budgetCents: left }, random);
  },
});
