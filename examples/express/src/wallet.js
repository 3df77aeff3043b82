import { isAmount } from './shop.js';

/**
 * The wallet behind PAYOUT_PROVIDER=webhook, see docs/reference/webhook.md: each claim is paid once, and answered only
 * when it is on the disk.
 */
export function openWallet(shop, journal) {
  async function pay(claim) {
    const { claimId, rainId, userId, amount } = claim;
    if (![claimId, rainId, userId].every((text) => typeof text === 'string' && text !== '') || !isAmount(amount)) {
      return {
        claimId,
        status: 'refused',
        reason: 'claimId, rainId, userId, amount: expected texts, the amount with two digits',
      };
    }
    // Between this question and `record` nothing else runs: of two equal claims at once, the second one finds the
    // first.
    const before = shop.paymentOf(claim);
    if (!before) {
      await journal.record({ type: 'credited', claimId, rainId, userId, amount });
      return { claimId, status: 'done', amount };
    }
    await journal.written();
    return { claimId, status: 'already', userId: before.userId, amount: before.amount };
  }

  /** @param request the single form, or the batch form with `claims` */
  return async function answer(request) {
    const answers = await Promise.all((request.claims ?? [request]).map(pay));
    const receipts = answers
      .filter(({ status }) => status === 'done')
      .map(({ claimId: id, amount }) => ({ id, amount }));
    if (request.claims) return { status: 200, body: { results: answers, receipts } };
    const [{ status }] = answers;
    return status === 'done'
      ? { status: 200, body: { receipts } }
      : { status: status === 'already' ? 409 : 422, body: answers[0] };
  };
}
