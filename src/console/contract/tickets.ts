import { z } from 'zod';
import { REQUIRED_WHEN } from '../../rain/ticketRules.ts';

/** The verb validates the words, so that its refusals name them as the command line does. */
export const requestedTicketRules = z
  .strictObject({
    tickets: z.string('expected a word').optional(),
    proofOfWork: z.string('expected a word').optional(),
  })
  .describe(
    'When a ticket is needed, and when a ticket needs a proof of work: off, pressure or always. What is absent stays as it is, at first off. A gateway with a stricter setting keeps it.',
  );
export const ticketRulesAnswer = z.object({ tickets: z.enum(REQUIRED_WHEN), proofOfWork: z.enum(REQUIRED_WHEN) });
export const viewedTicketRules = ticketRulesAnswer
  .optional()
  .describe('When a ticket and a proof of work are needed; absent: never, unless a gateway is set so.');
