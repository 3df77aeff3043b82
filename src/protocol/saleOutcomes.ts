import type { Outcome } from './outcomes.ts';

/**
 * All codes of `order`, in order of precedence: the order in which the gateway and then `lua/reserve.lua` check. A code
 * means the same as in a `result`, for a sale. The codes from -12 are of sales only; -10 must not be used again.
 */
export const SALE_OUTCOMES_IN_ORDER = [
  {
    code: '-6',
    reason: 'blocked',
    meaning: 'The operator has blocked this user or address. Earlier orders are unchanged.',
    retry: 'no',
  },
  {
    code: '-5',
    reason: 'too_fast',
    meaning: 'You send more messages than a person can tap; `retryInMs` says when to buy again.',
    retry: 'after a pause',
  },
  {
    code: '-9',
    reason: 'no_ticket',
    meaning: 'The ticket is missing, expired, or belongs to another user or sale. Visit the sale (again) to get one.',
    retry: 'after joining again',
  },
  {
    code: '-7',
    reason: 'busy',
    meaning:
      'The outcome is unknown or was not decided. Buying again with the same `ref` is safe and returns the outcome.',
    retry: 'after a pause',
  },
  {
    code: '1',
    reason: 'already_reserved',
    meaning: 'You have this purchase already; this is its present status.',
    retry: 'no',
  },
  {
    code: '-16',
    reason: 'ref_reused',
    meaning:
      'This `ref` is that of another purchase of yours, of another item or quantity; that one is unchanged. Use a new `ref` for a new purchase.',
    retry: 'no',
  },
  {
    code: '-8',
    reason: 'no_such_sale',
    meaning: 'There is no sale with this id, it was settled long ago, or your token is not for it.',
    retry: 'no',
  },
  { code: '-2', reason: 'not_started', meaning: 'The sale has not started.', retry: 'when it opens' },
  { code: '-3', reason: 'ended', meaning: 'The sale is over.', retry: 'no' },
  { code: '-4', reason: 'paused', meaning: 'The operator has paused the sale.', retry: 'when it resumes' },
  {
    code: '-14',
    reason: 'no_such_item',
    meaning: 'The sale does not have this item, or not in this quantity in one order.',
    retry: 'no',
  },
  {
    code: '-13',
    reason: 'limit_reached',
    meaning: 'You hold as many units as one buyer may have, of this item or in this sale.',
    retry: 'no',
  },
  {
    code: '-11',
    reason: 'campaign_limit_reached',
    meaning:
      'You hold as many units as one buyer may have in all sales of this campaign, or the host has excluded you from it.',
    retry: 'no',
  },
  {
    code: '-15',
    reason: 'too_few_left',
    meaning: 'Fewer units are left than you ask for. You may ask for fewer.',
    retry: 'no',
  },
  {
    code: '-12',
    reason: 'all_reserved',
    meaning:
      'All units are reserved or sold, and some are not paid for yet; `backAt` says when the next may come back. A `restock` message tells you.',
    retry: 'no',
  },
  {
    code: '-1',
    reason: 'sold_out',
    meaning: 'All units are sold. Only a refund, or more units, could bring some back.',
    retry: 'no',
  },
  { code: '0', reason: 'reserved', meaning: 'You have this reservation. Pay until `payBy`.', retry: 'no' },
] as const satisfies readonly Outcome[];
export type SaleOutcomeCode = (typeof SALE_OUTCOMES_IN_ORDER)[number]['code'];

/** All outcomes of a purchase by code. */
export const SALE_OUTCOMES = Object.fromEntries(SALE_OUTCOMES_IN_ORDER.map((outcome) => [outcome.code, outcome])) as {
  readonly [C in SaleOutcomeCode]: Extract<(typeof SALE_OUTCOMES_IN_ORDER)[number], { code: C }>;
};
