import type { RainWindow } from '../../rain/rain.ts';
import { strictest, type TicketRules } from '../../rain/ticketRules.ts';

/** A gateway's own requirements, on top of those of a rain or sale, and how early it issues tickets. */
export interface OwnTicketRules extends TicketRules {
  leadMs: number;
}

/** The rules of a rain or sale at this gateway, as its visitors are shown them. */
export interface ShownTicketRules extends TicketRules {
  /** Before this moment no ticket and no challenge is issued, epoch ms by Redis's clock. */
  from: number;
}

/** The stricter of both, so that a gateway that is set otherwise lets nobody in. */
export function shownTicketRules(
  own: OwnTicketRules,
  { opensAt, ticketRules }: Pick<RainWindow, 'opensAt'> & { ticketRules?: TicketRules | undefined },
): { ticketRules?: ShownTicketRules } {
  const { tickets, proofOfWork } = strictest(own, ticketRules);
  return tickets === 'off' ? {} : { ticketRules: { tickets, proofOfWork, from: Math.max(0, opensAt - own.leadMs) } };
}
