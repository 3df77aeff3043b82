import { formatMoney } from '../../rain/money.ts';
import type { OperatorContext } from '../context.ts';

/** What is wrong with the accounts of a rain and of its winners, one sentence each. The ledger cannot get there by itself. */
export async function readAccountProblems({ ledger }: Pick<OperatorContext, 'ledger'>, rainId: string): Promise<string[]> {
  const { accounts, funding, keptCents, sumCents } = await ledger.accountFaults(rainId);
  const problems = accounts.map(({ accountId, balanceCents, transfersCents }) => (
    `the account ${accountId} holds ${formatMoney(balanceCents)}, and its transfers sum to ${formatMoney(transfersCents)}`));
  if (funding) problems.push(`the rain was funded with ${formatMoney(funding.fundedCents)}, and its budget is ${formatMoney(funding.budgetCents)}`);
  if (keptCents !== 0n) problems.push(`the rain is settled, and its account still holds ${formatMoney(keptCents)}`);
  if (sumCents !== 0n) problems.push(`all balances of the ledger sum to ${formatMoney(sumCents)}, expected 0.00`);
  return problems.map((problem) => `${problem}: somebody has changed the ledger`);
}
