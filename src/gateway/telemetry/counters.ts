import type { ReceiptStatus } from '../../protocol/messages.ts';
import { SALE_OUTCOMES_IN_ORDER, type SaleOutcomeCode } from '../../protocol/saleOutcomes.ts';
import { CLOSES, OUTCOMES_IN_ORDER, type CloseCode, type OutcomeCode } from '../../protocol/outcomes.ts';

/** The limits that refuse or close, as in the metric `rain_gateway_refused_total`. */
export const REFUSED_BY = [
  'sockets',
  'sockets_per_user',
  'sockets_per_address',
  'handshakes',
  'handshakes_per_address',
  'offences',
  'blocks',
  'messages_per_user',
  'messages_per_address',
  'message_bytes',
  'message_pieces',
  'joins',
  'receipts',
  'grabs_pending',
  'purchases_per_item',
  'cancels',
  'http_reads',
  'order_waits',
  'order_waits_per_user',
  'send_buffer',
  'errors',
  'connections',
  'connections_per_address',
  'tickets',
  'challenges',
  'solutions',
  'turn',
  'switch_joins',
  'switch_sockets',
  'switch_grabs',
] as const;
export type LimitName = (typeof REFUSED_BY)[number];

export type GatewayCounters = ReturnType<typeof createGatewayCounters>;

/** This gateway's counts since it started. Plain numbers: counting an answer must cost almost nothing. */
export function createGatewayCounters() {
  return {
    /** Grabs answered, by code. */
    answers: zeros<OutcomeCode>(OUTCOMES_IN_ORDER.map(({ code }) => code)),
    /** Purchases answered, by code. */
    purchases: zeros<SaleOutcomeCode>(SALE_OUTCOMES_IN_ORDER.map(({ code }) => code)),
    /** Upgrades, messages, joins and sockets refused or closed, by limit. */
    refused: zeros(REFUSED_BY),
    /** Sockets that the gateway has closed, by code. */
    closes: zeros<CloseCode>(Object.values(CLOSES).map(({ code }) => code)),
    /** Sending a ticket or a challenge again does not count. */
    issued: { ticket: 0, challenge: 0 },
    /** Grabs and purchases that took part in the lottery at an opening. */
    gathered: 0,
    /** Genuine receipts that users have shown, by what became of them. */
    receipts: zeros<Exclude<ReceiptStatus, 'not_genuine'>>(['known', 'restored', 'recorded', 'busy']),
    /** Packets set aside because nobody had signed them. */
    spoiled: 0,
    /** Reservations in Redis that nobody had signed, once each time that one was met. */
    forgedReservations: 0,
    /** Failed or unexpected replies of Redis. One may affect a whole batch of grabs. */
    redisFaults: 0,
  };
}

/** The limits that lead to a close. */
const LIMIT_OF_CLOSE: { readonly [C in CloseCode]?: LimitName } = {
  1009: 'message_bytes',
  4403: 'blocks',
  4413: 'send_buffer',
  4429: 'errors',
  4430: 'offences',
};

export function countClose(counters: GatewayCounters, code: CloseCode): void {
  counters.closes[code]++;
  const limit = LIMIT_OF_CLOSE[code];
  if (limit !== undefined) counters.refused[limit]++;
}

function zeros<K extends string | number>(names: readonly K[]): Record<K, number> {
  return Object.fromEntries(names.map((name) => [name, 0])) as Record<K, number>;
}
