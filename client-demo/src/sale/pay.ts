import { ANSWER_MS_MAX, within } from '../api.ts';

/**
 * Asks the demo's shop to take the payment. The order tells when it is paid.
 * @throws when the shop did not accept it
 */
export async function payInDemo(reservationId: string): Promise<void> {
  const answer = await fetch('api/demo-shop/pay', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ reservationId }),
    signal: within(ANSWER_MS_MAX),
  });
  if (!answer.ok) throw new Error(`not paid: ${answer.status}`);
}
