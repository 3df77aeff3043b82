import { formatMoney } from '../../rain/money.ts';
import type { OperatorContext } from '../context.ts';
import type { TamperingList } from './tampering.ts';

/** Notes what is wrong with the accounts of a rain and of its winners. The ledger cannot get there by itself. */
export async function compareAccounts({ ledger }: Pick<OperatorContext, 'ledger'>, rainId: string, tampering: TamperingList): Promise<void> {
  const note = (subject: string, sentence: string) => tampering.note('ledger', subject, `${sentence}: somebody has changed the ledger`);
  const { accounts, funding, keptCents, sumCents } = await ledger.accountFaults(rainId);
  for (const { accountId, balanceCents, transfersCents } of accounts) {
    note(accountId, `the account ${accountId} holds ${formatMoney(balanceCents)}, and its transfers sum to ${formatMoney(transfersCents)}`);
  }
  if (funding) note('funding', `the rain was funded with ${formatMoney(funding.fundedCents)}, and its budget is ${formatMoney(funding.budgetCents)}`);
  if (keptCents !== 0n) note('kept', `the rain is settled, and its account still holds ${formatMoney(keptCents)}`);
  if (sumCents !== 0n) note('sum', `all balances of the ledger sum to ${formatMoney(sumCents)}, expected 0.00`);
}
