import { figure } from '../../../../src/rain/figures.ts';
import type { Order, SaleSnapshot } from '../../../../src/client/client.ts';
import { durationText } from '../../countdown.ts';
import type { Answer, Progress } from '../../sale/item-view.ts';

/** All texts of the screen of a sale. Other languages have the same keys. */
export type SaleWords = typeof en;

const limitText = (units: number, isOfSale: boolean) =>
  isOfSale ? `Limit ${units} each in the whole sale` : `Limit ${units} each`;

export const en = {
  back: 'Back to the rain',
  rainIn: (time: string) => `Rain in ${time}`,
  rainOn: 'It is raining',
  untitled: 'Flash sale',
  connecting: 'Connecting …',
  lost: 'Connection lost, reconnecting …',
  refused: 'This sale cannot be shown. It ended long ago, or the link is wrong.',
  notAllowed: 'You cannot take part in this sale now. Reload the page to try again.',
  rehearsal: 'Rehearsal: nothing is shipped',
  state: {
    draft: 'Opens in',
    loaded: 'Opens in',
    open: 'Ends in',
    paused: 'Paused',
    closed: 'The sale is over',
    settled: 'The sale is over',
  } satisfies Record<SaleSnapshot['state'], string>,
  stateDetail: {
    draft: 'Choose now, buy when it opens.',
    loaded: 'Choose now, buy when it opens.',
    open: '',
    paused: 'The shop has paused the sale. It will continue here.',
    closed: 'Orders that wait for payment can still be paid.',
    settled: '',
  } satisfies Record<SaleSnapshot['state'], string>,
  days: (days: number) => `${days} d`,
  hold: (seconds: number) =>
    `Pay within ${durationText(seconds, ['h', 'min', 's'])} after you reserve. Unpaid pieces are sold again.`,
  freeHold: 'Free: yours at once. Nothing is to be paid.',
  goods: 'Goods',
  free: 'Free',
  was: 'List price',
  price: 'Price',
  left: (units: number) => `${figure(units)} left`,
  limit: limitText,
  held: (held: number, limit: number, isOfSale: boolean) =>
    `You have ${held} of ${limit}${isOfSale ? ' in the whole sale' : ''}`,
  quantity: 'Quantity',
  fewer: 'One fewer',
  more: 'One more',
  buy: 'Buy',
  buyFor: (total: string) => `Buy · ${total}`,
  again: 'Try anyway',
  soon: 'Not open yet',
  paused: 'Paused',
  over: 'Over',
  limitReached: 'Limit reached',
  soldOut: 'Sold out',
  asking: 'Asking …',
  progress: {
    sent: 'Your purchase is on its way …',
    preparing: 'Getting ready. Your purchase counts …',
    busy: 'Very busy. Trying again …',
    too_fast: 'Too fast. Trying again in a moment …',
    waiting: 'Waiting for the opening …',
  } satisfies Record<Progress, string>,
  answers: {
    all_reserved: 'All pieces are reserved. Some are not paid for, so one may come back.',
    sold_out: 'Sold out for good: every piece is paid for.',
    ref_reused: 'This purchase has the name of an earlier one. Buy again.',
    too_few_left: 'Fewer pieces are left. Choose a smaller quantity.',
    limit_reached: 'You hold as many pieces as one buyer may have.',
    campaign_limit_reached:
      'You hold as many pieces as one buyer may have in all rounds of this campaign, or the host keeps this one for other buyers.',
    no_such_item: 'The sale does not have this item in this quantity.',
    no_such_sale: 'There is no such sale any more.',
    not_started: 'The sale has not opened yet.',
    ended: 'The sale is over.',
    paused: 'The shop has paused the sale.',
    blocked: 'The shop does not let this account take part.',
    unanswered: 'No answer yet. Buy again: nothing is bought twice.',
    unknown: 'An answer came that this page does not know. Reload the page.',
    gone: 'No piece is left at the moment.',
    back: 'Pieces are back. Buy now!',
  } satisfies Record<Answer, string>,
  backAt: (time: string) => `All pieces are reserved. The next may come back at ${time}.`,
  bell: 'Tell me when one is back',
  bellOn: 'You will be told here',
  rang: (name: string) => `Back in stock: ${name}`,
  orders: 'My orders',
  moreOrders: (count: number) => `Show ${count} more`,
  status: {
    reserved: 'Reserved',
    created: 'To pay',
    paid: 'Paid',
    cancelled: 'Cancelled',
    timed_out: 'Not paid in time',
    failed: 'Failed',
    refunded: 'Refunded',
  } satisfies Record<Order['status'], string>,
  statusDetail: {
    reserved: 'Your pieces are kept. The order is being written.',
    created: 'Your order is there. Pay now to keep it.',
    paid: 'Thank you. The shop has your payment.',
    cancelled: 'The order is cancelled.',
    timed_out: 'The time to pay is over. The pieces are sold again.',
    failed: 'The shop could not take this order. Nothing is to be paid.',
    refunded: 'The shop has refunded this order.',
  } satisfies Record<Order['status'], string>,
  place: (place: number) => `Place ${figure(place)} in line. The order is being written.`,
  payBy: 'Pay within',
  timeUp: 'The time to pay is over.',
  pay: 'Pay',
  payFor: (total: string) => `Pay ${total}`,
  /**
   * Said where nothing is to be paid, since nobody buys then: `get` in place of `buy` and `buyFor`, the others in place
   * of the words of the same names.
   */
  whenFree: {
    get: (quantity: number) => (quantity > 1 ? `Get ${quantity}` : 'Get it'),
    limit: limitText,
    stateDetail: {
      draft: 'Choose now, get it when it opens.',
      loaded: 'Choose now, get it when it opens.',
      paused: 'The host has paused this. It will continue here.',
      closed: 'Thank you for taking part.',
    } satisfies Partial<Record<SaleSnapshot['state'], string>>,
    progress: { sent: 'You have asked …', preparing: 'Getting ready. You have asked in time …' } satisfies Partial<
      Record<Progress, string>
    >,
    answers: {
      all_reserved: 'All pieces are taken. One may still come back.',
      sold_out: 'All gone: every piece has been taken.',
      ref_reused: 'This request has the name of an earlier one. Try again.',
      limit_reached: 'You have as many pieces as one person may have.',
      campaign_limit_reached:
        'You have as many pieces as one person may have in all rounds of this campaign, or the host keeps this one for others.',
      ended: 'It is over.',
      paused: 'The host has paused this.',
      no_such_item: 'This is not given in this quantity.',
      no_such_sale: 'It is not there any more.',
      not_started: 'It has not opened yet.',
      blocked: 'The host does not let this account take part.',
      unanswered: 'No answer yet. Try again: you get nothing twice.',
      back: 'Pieces are back. Get one now!',
    } satisfies Partial<Record<Answer, string>>,
  },
  freePaid: { status: 'Yours', detail: 'It is yours. It was free, so nothing is to be paid.' },
  freeCreated: 'Your order is there. Nothing is to be paid.',
  paying: 'Paying …',
  payFailed: 'The payment did not go through. Try again.',
  noPay: 'Pay in the app or on the page of the shop.',
  cancel: 'Cancel',
  cancelling: 'Cancelling …',
  cancelFailed: 'Not cancelled yet. Try again.',
  pieces: (quantity: number) => `× ${quantity}`,
};
