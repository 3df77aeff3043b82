/** When something is required: never, while a gateway is under load, or always. From the loosest to the strictest. */
export const REQUIRED_WHEN = ['off', 'pressure', 'always'] as const;
export type RequiredWhen = (typeof REQUIRED_WHEN)[number];

/** Whether a grab or purchase needs a ticket, and whether a ticket needs a proof of work. */
export interface TicketRules {
  tickets: RequiredWhen;
  proofOfWork: RequiredWhen;
}

export const NO_TICKETS: TicketRules = { tickets: 'off', proofOfWork: 'off' };

export function stricter(one: RequiredWhen, other: RequiredWhen): RequiredWhen {
  return REQUIRED_WHEN.indexOf(one) > REQUIRED_WHEN.indexOf(other) ? one : other;
}

export function strictest(one: TicketRules, other: TicketRules = NO_TICKETS): TicketRules {
  return { tickets: stricter(one.tickets, other.tickets), proofOfWork: stricter(one.proofOfWork, other.proofOfWork) };
}

/** The rules as Redis has them: '' for none. The scripts that grant compare this text, see lua/grab.lua. */
export function ticketRulesText({ tickets, proofOfWork }: TicketRules = NO_TICKETS): string {
  return tickets === 'off' && proofOfWork === 'off' ? '' : `${tickets}:${proofOfWork}`;
}
