import { z } from 'zod';
import { NO_TICKETS, REQUIRED_WHEN, type TicketRules } from './ticketRules.ts';

const when = z.enum(REQUIRED_WHEN, `expected ${REQUIRED_WHEN.slice(0, -1).join(', ')} or ${REQUIRED_WHEN.at(-1)}`);

/** A change; what is absent stays. */
export const changedTicketRules = z.strictObject({ tickets: when.optional(), proofOfWork: when.optional() });
/** An absent rule is off. */
export const ticketRules = z
  .strictObject({ tickets: when.default('off'), proofOfWork: when.default('off') })
  .refine(({ tickets, proofOfWork }) => proofOfWork === 'off' || tickets !== 'off', {
    path: ['proofOfWork'],
    message: 'needs tickets, expected tickets pressure or always with it',
  });

/**
 * Rules that cannot be read are the strictest; the text of the strictest is another one, so that nothing is granted.
 */
export function parseTicketRules(text: string): TicketRules {
  if (text === '') return NO_TICKETS;
  const [tickets, proofOfWork] = text.split(':');
  const parsed = ticketRules.safeParse({ tickets, proofOfWork });
  return parsed.success ? parsed.data : { tickets: 'always', proofOfWork: 'always' };
}
