import type { ChallengeMessage, SolutionMessage, TicketMessage } from '../../protocol/messages.ts';
import type { RainState, RainWindow } from '../../rain/rain.ts';
import { stricter, type RequiredWhen, type TicketRules } from '../../rain/ticketRules.ts';
import type { Reading } from '../rains/snapshotCache.ts';
import { idsOf } from '../sales/saleName.ts';
import type { Limits } from '../limits.ts';
import { OpenChallenges } from './openChallenges.ts';
import { ProofOfWork } from './proofOfWork.ts';
import { shownTicketRules, type OwnTicketRules, type ShownTicketRules } from './rules.ts';
import type { GatewayCounters } from '../telemetry/counters.ts';
import { keepTicket, Tickets, type Ticket, type TicketHolder } from './tickets.ts';

/** The gateway's own requirements, on top of those of a rain or sale. */
export interface ChallengeRules extends TicketRules {
  /** Shared by all gateways of a deployment. */
  secret: string;
  /** Tries per challenge at most; half of them on average. */
  proofOfWorkTries: number;
}

/** A rain or sale with its own rules. */
type RuledWindow = RainWindow & { ticketRules?: TicketRules | undefined };
/** A rain or sale as this gateway shows it. */
type IssuedFor = { state: RainState; closesAt: number; ticketRules?: ShownTicketRules };

/** For which rain or sale, and from where. */
interface Asked {
  name: string;
  address: string;
  /** The ticket that the holder has shown. */
  shown?: string | undefined;
}

interface ChallengeContext {
  limits: Limits;
  counters: GatewayCounters;
  /** Redis's clock as estimated here, epoch ms. */
  now: () => number;
  pressed: () => boolean;
}

/**
 * Issues and checks tickets. `name` is the id of a rain or the `saleName` of a sale, so that no ticket is valid for
 * both. Tickets decide which grabs and purchases are passed on, never who wins: log and ledger know none of them. The
 * stricter of the gateway's rules and those of the rain or sale hold. The scripts grant only to a gateway that has read
 * the rules that are in force.
 */
export class Challenges {
  readonly #rules: ChallengeRules;
  readonly #own: OwnTicketRules;
  readonly #context: ChallengeContext;
  readonly #tickets: Tickets;
  readonly #proofOfWork: ProofOfWork;
  readonly #open: OpenChallenges;

  constructor(rules: ChallengeRules, context: ChallengeContext) {
    const {
      limits: { challengeMs, ticketLeadMs },
      now,
    } = context;
    this.#rules = rules;
    this.#own = { tickets: rules.tickets, proofOfWork: rules.proofOfWork, leadMs: ticketLeadMs };
    this.#context = context;
    this.#tickets = new Tickets(rules.secret);
    this.#proofOfWork = new ProofOfWork({ secret: rules.secret, tries: rules.proofOfWorkTries, challengeMs, now });
    this.#open = new OpenChallenges({ ...context, create: (userId, name) => this.#proofOfWork.create(userId, name) });
  }

  /**
   * Whether the grab needs a ticket and has none. For a ticket that was issued to or verified for this holder before,
   * this is one comparison of strings. It need not take constant time, since the holder of the ticket is the one who
   * sends it.
   */
  refuses(holder: TicketHolder, name: string, ticket: string | undefined, reading: RuledWindow & Reading): boolean {
    const { now, counters } = this.#context;
    if (!this.#isRequired(stricter(this.#rules.tickets, reading.ticketRules?.tickets ?? 'off')) || isOver(reading))
      return false;
    const time = now();
    const known = holder.tickets?.get(name);
    const shown =
      known?.text === ticket && known !== undefined && known.expiresAt > time
        ? known
        : this.#readTicket(holder, name, ticket, time);
    if (shown && isAccepted(shown, shownTicketRules(this.#own, reading).ticketRules)) return false;
    counters.refused.tickets++;
    return true;
  }

  /**
   * After a join or a visit: the holder's valid ticket, a challenge, or a new ticket; nothing before the time at which
   * the first are issued. `later`: not possible now, join again later
   */
  async issueAfterJoin(
    holder: TicketHolder,
    { name, address, shown }: Asked,
    { state, closesAt, ticketRules }: IssuedFor,
  ): Promise<TicketMessage | ChallengeMessage | 'later' | undefined> {
    const now = this.#context.now();
    if (!ticketRules || now < ticketRules.from || state === 'closed' || state === 'settled') return undefined;
    const known = this.#readTicket(holder, name, shown, now) ?? holder.tickets?.get(name);
    const held = known && isAccepted(known, ticketRules) ? known : undefined;
    // The end of the rain may have moved; a user who was admitted once stays admitted.
    if (held && held.expiresAt > Math.max(closesAt, now)) return ticketMessage(name, held);
    if (held || !this.#isRequired(ticketRules.proofOfWork))
      return this.#issue(holder, name, closesAt, held?.solved ?? false);
    const challenge = await this.#open.of({ userId: holder.userId, name, address, from: ticketRules.from });
    return challenge ? { type: 'challenge', ...idsOf(name), challenge } : 'later';
  }

  /** @returns undefined: the solution is wrong or not needed, and has no effect */
  async issueForSolution(
    holder: TicketHolder,
    name: string,
    { challenge, solution }: Pick<SolutionMessage, 'challenge' | 'solution'>,
    { closesAt, ticketRules }: IssuedFor,
  ): Promise<TicketMessage | undefined> {
    const { counters, now } = this.#context;
    const held = holder.tickets?.get(name);
    // A repeated solution gets the same ticket and is not verified again.
    if (held && held.expiresAt > now() && isAccepted(held, ticketRules)) return ticketMessage(name, held);
    // One verification at a time: otherwise a socket could have many wrong solutions verified before it is closed.
    let verified = false;
    if (ticketRules && !holder.solving) {
      holder.solving = true;
      verified = await this.#proofOfWork
        .verify(holder.userId, name, challenge, solution, ticketRules.from)
        .finally(() => {
          holder.solving = false;
        });
    }
    if (verified) return this.#issue(holder, name, closesAt, true);
    counters.refused.solutions++;
    return undefined;
  }

  /** Drops state that is no longer needed. To be called at intervals. */
  forget(): void {
    this.#open.forget();
  }

  #isRequired(required: RequiredWhen): boolean {
    return required === 'always' || (required === 'pressure' && this.#context.pressed());
  }

  #readTicket(holder: TicketHolder, name: string, text: string | undefined, time: number): Ticket | undefined {
    const ticket = text === undefined ? undefined : this.#tickets.read(text, holder.userId, name, time);
    if (ticket) keepTicket(holder, name, ticket, this.#context.limits);
    return ticket;
  }

  #issue(holder: TicketHolder, name: string, closesAt: number, solved: boolean): TicketMessage {
    const { limits, counters, now } = this.#context;
    const ticket = this.#tickets.issue(holder.userId, name, {
      expiresAt: closesAt + limits.ticketSlackMs,
      now: now(),
      solved,
    });
    keepTicket(holder, name, ticket, limits);
    counters.issued.ticket++;
    return ticketMessage(name, ticket);
  }
}

const ticketMessage = (name: string, { text, expiresAt }: Ticket): TicketMessage => ({
  type: 'ticket',
  ...idsOf(name),
  ticket: text,
  expiresAt,
});

/** A ticket that was issued too early is none, nor is one without the proof of work that is always required. */
const isAccepted = ({ issuedAt, solved }: Ticket, rules: ShownTicketRules | undefined): boolean =>
  rules === undefined || (issuedAt >= rules.from && (solved || rules.proofOfWork !== 'always'));

/** Nobody can win any more: the answer is "ended" or the user's own win, without a ticket [R6]. */
function isOver({ state, readAt, closesAt }: RainWindow & Reading): boolean {
  return state === 'closed' || state === 'settled' || readAt >= closesAt;
}
