import { describe, expect, it } from 'vitest';
import type { ClaimIdForm } from '../../src/credit/claimId.ts';
import type { Payment } from '../../src/credit/walletAnswer.ts';
import { whenPaidBefore, whenPaidNow, type Again, type ReceiptPolicy } from '../../src/credit/walletProof.ts';

const again: Again = { outcome: 'reconsumeLater', detail: 'the wallet said so' };
const asked = (idForm: ClaimIdForm) => ({ claimId: 'r-1', idForm, userId: 'ann', amount: '1.00' });
type Case = [what: string, idForm: ClaimIdForm, policy: ReceiptPolicy, payments: Payment[], outcome: string];
const UNREADABLE: Payment = { unreadable: '{"amount":9}' };
const [EQUAL, NAMED, OTHER_AMOUNT, OTHER_USER]: Payment[] = [
  { amount: '1.00' },
  { amount: '1.00', userId: 'ann' },
  { amount: '9.00' },
  { amount: '1.00', userId: 'bob' },
];

describe('a wallet that says it has paid', () => {
  it.each([
    ['without a receipt', 'webhook_v2', 'required', [], 'reconsumeLater'],
    ['without a receipt, and its word is trusted', 'webhook_v2', 'trust_status', [], 'taken'],
    ['with an equal receipt', 'webhook_v2', 'required', [EQUAL!], 'taken'],
    ['with an equal receipt that names the user', 'webhook', 'required', [NAMED!], 'taken'],
    ['another amount', 'webhook_v2', 'required', [OTHER_AMOUNT!], 'reconsumeLater'],
    ['another amount, and its word is trusted', 'webhook_v2', 'trust_status', [OTHER_AMOUNT!], 'reconsumeLater'],
    ['somebody else', 'webhook', 'required', [OTHER_USER!], 'reconsumeLater'],
    [
      'with two receipts that contradict each other',
      'webhook_v2',
      'required',
      [EQUAL!, OTHER_AMOUNT!],
      'reconsumeLater',
    ],
    [
      'with an equal receipt, and one that cannot be read',
      'webhook_v2',
      'required',
      [EQUAL!, UNREADABLE],
      'reconsumeLater',
    ],
    ['with one that cannot be read, and its word is trusted', 'webhook_v2', 'trust_status', [UNREADABLE], 'taken'],
  ] as Case[])('%s (%s, %s)', (_what, idForm, policy, payments, outcome) => {
    const told = whenPaidNow(asked(idForm), payments, policy, again);
    expect(told.outcome).toBe(outcome);
    if (outcome === 'reconsumeLater')
      expect(told).toMatchObject({ detail: expect.stringMatching(/^the wallet said so; .*receipt.*1\.00/) });
  });

  it('and contradicts its own receipt is not believed, and its word alone is no receipt', () => {
    const outcome = (said: Payment, receipts: Payment[]) =>
      whenPaidNow(asked('webhook_v2'), receipts, 'required', again, said).outcome;
    expect([OTHER_USER!, { userId: 'bob' }, OTHER_AMOUNT!, UNREADABLE].map((said) => outcome(said, [EQUAL!]))).toEqual(
      Array(4).fill('reconsumeLater'),
    );
    expect([outcome(NAMED!, [EQUAL!]), outcome(NAMED!, [])]).toEqual(['taken', 'reconsumeLater']);
  });
});

describe('a wallet that says it has paid before', () => {
  it.each([
    ['and nothing else', 'webhook_v2', 'required', [], 'reconsumeLater'],
    ['and nothing else, and its word is trusted', 'webhook', 'trust_status', [], 'taken'],
    ['how much, under an id that names the user', 'webhook_v2', 'required', [EQUAL!], 'taken'],
    ['how much, under an id that does not name the user', 'webhook', 'required', [EQUAL!], 'reconsumeLater'],
    ['whom and how much', 'webhook', 'required', [NAMED!], 'taken'],
    ['somebody else', 'webhook', 'required', [OTHER_USER!], 'giveUp'],
    ['somebody else, and its word is trusted', 'webhook', 'trust_status', [OTHER_USER!], 'giveUp'],
    ['another amount', 'webhook_v2', 'required', [OTHER_AMOUNT!], 'giveUp'],
    ['somebody else, and how much in a receipt', 'webhook_v2', 'required', [{ userId: 'bob' }, EQUAL!], 'giveUp'],
    ['this user, and how much in a receipt', 'webhook', 'required', [{ userId: 'ann' }, EQUAL!], 'taken'],
    ['this user, and not how much', 'webhook_v2', 'required', [{ userId: 'ann' }], 'reconsumeLater'],
    ['what cannot be read', 'webhook_v2', 'required', [UNREADABLE, EQUAL!], 'reconsumeLater'],
    ['what cannot be read, and its word is trusted', 'webhook_v2', 'trust_status', [UNREADABLE], 'taken'],
  ] as Case[])('%s (%s, %s)', (_what, idForm, policy, payments, outcome) => {
    const told = whenPaidBefore(asked(idForm), payments, policy, again);
    expect(told.outcome).toBe(outcome);
    if (told.outcome === 'giveUp')
      expect(told).toEqual({
        outcome: 'giveUp',
        reason: 'paid_differs',
        detail: `the wallet has paid r-1 before: ${JSON.stringify(payments.find((paid) => [OTHER_USER, OTHER_AMOUNT].includes(paid) || paid.userId === 'bob'))}`,
      });
    if (told.outcome === 'reconsumeLater')
      expect(told.detail).toContain('{"claimId":"r-1","userId":"ann","amount":"1.00"}');
  });
});
