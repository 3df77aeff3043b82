import { formatMoney, type Cents } from '../../rain/money.ts';
import { isRainAccount } from '../../ledger/accounts.ts';
import type { OperatorContext } from '../context.ts';
import type { TamperingList } from './tampering.ts';

/** Asks for the sum of all balances. */
export type SumOfBalances = () => Promise<Cents>;

/** Asks the ledger once, for audits that follow each other: it reads every account. */
export function summedOnce({ ledger }: Pick<OperatorContext, 'ledger'>): SumOfBalances {
  let sum: Promise<Cents> | undefined;
  return () =>
    (sum ??= ledger.sumOfBalances().catch((error: unknown) => {
      sum = undefined;
      throw error;
    }));
}

/**
 * Compares the accounts of a rain and of its winners with their transfers. The ledger cannot get there by itself.
 * @returns problems that are not of this rain alone: they must not stop every rain of a winner, or all rains
 */
export async function compareAccounts(
  { ledger }: Pick<OperatorContext, 'ledger'>,
  rainId: string,
  tampering: TamperingList,
  sumOfBalances: SumOfBalances,
): Promise<string[]> {
  const problems: string[] = [];
  const blame = (sentence: string) => `${sentence}: somebody has changed the ledger`;
  const note = (subject: string, sentence: string) => tampering.note('ledger', subject, blame(sentence));
  const { accounts, funding, keptCents } = await ledger.accountFaults(rainId);
  for (const { accountId, balanceCents, transfersCents } of accounts) {
    const sentence = `the account ${accountId} holds ${formatMoney(balanceCents)}, and its transfers sum to ${formatMoney(transfersCents)}`;
    if (isRainAccount(accountId, rainId)) note(accountId, sentence);
    else problems.push(blame(sentence));
  }
  if (funding)
    note(
      'funding',
      `the rain was funded with ${formatMoney(funding.fundedCents)}, and its budget is ${formatMoney(funding.budgetCents)}`,
    );
  if (keptCents !== 0n) note('kept', `the rain is settled, and its account still holds ${formatMoney(keptCents)}`);
  const sumCents = await sumOfBalances();
  if (sumCents !== 0n)
    problems.push(blame(`all balances of the ledger sum to ${formatMoney(sumCents)}, expected 0.00`));
  return problems;
}
