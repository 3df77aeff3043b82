import { minutesText } from '../countdown.ts';
import type { SaleWords } from '../words/sale/en.ts';
import { isFree } from './order-view.ts';
import { wordsAt, wordsFor, type Prices } from './prices.ts';
import type { SaleView } from './visit.ts';

/**
 * The announcement of a change by a screen reader; `undefined`: nothing new. Countdowns are not announced: they would
 * drown out the answers.
 */
export function spokenOf(
  before: SaleView | undefined,
  { title, state, free, items, orders, rang }: SaleView,
  words: SaleWords,
  prices: Prices,
): string | undefined {
  const sentences: string[] = [];
  if (state && before?.state !== state) sentences.push(`${title ?? ''}. ${wordsFor(free, words).state[state]}.`);
  if (rang !== undefined && before?.rang !== rang) sentences.push(words.rang(rang));
  for (const order of orders) {
    const { reservationId, status } = order;
    if (before?.orders.find((one) => one.reservationId === reservationId)?.status !== status)
      sentences.push(orderText(order, words, prices));
  }
  for (const { sku, name, price, answer } of items) {
    // The bell has said it.
    if (answer === 'back' && name === rang) continue;
    if (answer && before && before.items.find((one) => one.sku === sku)?.answer !== answer)
      sentences.push(`${name}: ${wordsAt(price, words).answers[answer]}`);
  }
  return sentences.length > 0 ? sentences.join(' ') : undefined;
}

function orderText(order: SaleView['orders'][number], words: SaleWords, prices: Prices): string {
  const { name, quantity, total, status, seconds } = order;
  const { status: statuses, statusDetail } = wordsAt(total, words);
  const until = seconds === undefined || isFree(total) ? '' : ` ${words.payBy} ${minutesText(seconds)}.`;
  return `${name} ${words.pieces(quantity)}, ${prices(total)}: ${statuses[status]}. ${statusDetail[status]}${until}`;
}
