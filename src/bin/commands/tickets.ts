import { Option } from 'commander';
import { setTickets, setTicketsOfSale } from '../../operator/tickets.ts';
import { REQUIRED_WHEN, type RequiredWhen, type TicketRules } from '../../rain/ticketRules.ts';
import type { RainCommand } from '../command.ts';
import { acceptedAs } from '../exit.ts';

export interface TicketOptions {
  tickets?: RequiredWhen;
  pow?: RequiredWhen;
}

/**
 * The options for the fields of the rules. In a new rain only --pow can be wrong: the words are checked before.
 */
export const TYPED_TICKETS = { tickets: '--tickets', proofOfWork: '--pow', ticketRules: '--pow' };

/** The options of the rules, for a new rain or sale and for one that runs. */
export function withTickets<C extends RainCommand>(command: C): C {
  return command
    .addOption(
      new Option('--tickets <when>', 'when a ticket is needed, which a join or a visit gives').choices(REQUIRED_WHEN),
    )
    .addOption(
      new Option('--pow <when>', 'when a ticket needs a proof of work; needs --tickets').choices(REQUIRED_WHEN),
    ) as C;
}

/** Only what was typed. */
export function ticketRulesOf({ tickets, pow }: TicketOptions): Partial<TicketRules> | undefined {
  return tickets === undefined && pow === undefined
    ? undefined
    : { ...(tickets && { tickets }), ...(pow && { proofOfWork: pow }) };
}

export function ticketRulesInWords({ tickets, proofOfWork }: TicketRules): string {
  return `tickets ${tickets}, proof of work ${proofOfWork}`;
}

export function addTicketsCommand(program: RainCommand, kind: 'rain' | 'sale'): void {
  const verb = kind === 'rain' ? setTickets : setTicketsOfSale;
  withTickets(
    program.command('tickets <id>').summary(`require tickets or a proof of work, even while the ${kind} runs`),
  )
    .description(
      `Changes when a ticket and a proof of work are needed, also while the ${kind} runs. Who has no ticket that is good enough joins again to get one. What is not given stays as it is. A gateway with a stricter setting keeps it.`,
    )
    .json()
    .example(`rain ${kind === 'rain' ? '' : 'sale '}tickets m3k9x2a1b2c3d4 --tickets always --pow pressure`)
    .refuses((_id: string, options: TicketOptions) =>
      ticketRulesOf(options) ? undefined : '--tickets: missing, expected --tickets, --pow or both',
    )
    .runsWithContext(async (context, id: string, options: TicketOptions) => {
      const { ok: _, ...rules } = acceptedAs(await verb(context, id, ticketRulesOf(options)), TYPED_TICKETS);
      return { value: { [`${kind}Id`]: id, ...rules }, text: `${id}: ${ticketRulesInWords(rules)}` };
    });
}
