import type { TokenBucket } from 'limiter';
import { encode } from '../../protocol/codec.ts';
import type { GrabMessage, RainSnapshot, SolutionMessage } from '../../protocol/messages.ts';
import type { CachedRain } from '../rains/rainCache.ts';
import type { Limits } from '../limits.ts';
import { fullBucket } from '../ratelimit/tokenBuckets.ts';
import { ProofOfWork } from './proofOfWork.ts';
import { send, type Session } from '../sockets/session.ts';
import type { GatewayCounters } from '../telemetry/counters.ts';
import { admissionStateOf, Tickets, type Ticket } from './tickets.ts';

type RequiredWhen = 'off' | 'pressure' | 'always';

export interface ChallengeRules {
  tickets: Exclude<RequiredWhen, 'off'>;
  proofOfWork: RequiredWhen;
  /** Shared by all gateways of a deployment. */
  secret: string;
  /** Tries per challenge at most; half of them on average. */
  proofOfWorkTries: number;
}

interface ChallengeContext {
  limits: Limits;
  counters: GatewayCounters;
  /** Redis's clock as estimated here, epoch ms. */
  now: () => number;
  pressed: () => boolean;
}

/** Issues and checks tickets. They decide which grabs are passed on, never who wins: Lua, claim log and ledger know none of them. */
export class Challenges {
  readonly #rules: ChallengeRules;
  readonly #context: ChallengeContext;
  readonly #tickets: Tickets;
  readonly #proofOfWork: ProofOfWork;
  readonly #challengeRate: TokenBucket;

  constructor(rules: ChallengeRules, context: ChallengeContext) {
    const { limits: { challengeMs, challengesPerSecondMax }, now } = context;
    this.#rules = rules;
    this.#context = context;
    this.#tickets = new Tickets(rules.secret);
    this.#proofOfWork = new ProofOfWork({ secret: rules.secret, tries: rules.proofOfWorkTries, challengeMs, now });
    this.#challengeRate = fullBucket(challengesPerSecondMax);
  }

  /**
   * Whether the grab needs a ticket and has none. For a ticket that was issued or verified on this socket before, this is one comparison
   * of strings. It need not take constant time, since the holder of the ticket is the one who sends it.
   */
  refuses(session: Session, { rainId, ticket }: GrabMessage, rain: CachedRain): boolean {
    const { now, counters } = this.#context;
    if (!this.#isRequired(this.#rules.tickets) || isOver(rain)) return false;
    const time = now();
    const known = session.admissions?.get(rainId);
    const same = known?.ticket !== undefined && known.ticket.text === ticket && known.ticket.expiresAt > time;
    if (same || this.#readTicket(session, rainId, ticket, time)) return false;
    counters.refused.tickets++;
    return true;
  }

  /** After a join: sends the session's valid ticket, a challenge, or a new ticket. @returns false: not possible now, join again later */
  async issueAfterJoin(session: Session, { rainId, state, closesAt }: RainSnapshot, shown?: string): Promise<boolean> {
    if (state === 'closed' || state === 'settled') return true;
    const held = this.#readTicket(session, rainId, shown, this.#context.now()) ?? session.admissions?.get(rainId)?.ticket;
    // The end of the rain may have moved; a user who was admitted once stays admitted.
    if (held && held.expiresAt > Math.max(closesAt, this.#context.now())) this.#sendTicket(session, rainId, held);
    else if (held || !this.#isRequired(this.#rules.proofOfWork)) this.#issue(session, rainId, closesAt);
    else return await this.#challenge(session, rainId);
    return true;
  }

  /** @param closesAt of the rain, epoch ms. @returns false: the solution is wrong and has no effect */
  async issueForSolution(session: Session, { rainId, challenge, solution }: SolutionMessage, closesAt: number): Promise<boolean> {
    const { counters, now } = this.#context;
    const held = session.admissions?.get(rainId)?.ticket;
    if (held && held.expiresAt > now()) {
      // A repeated solution gets the same ticket and is not verified again.
      this.#sendTicket(session, rainId, held);
      return true;
    }
    // One verification at a time: otherwise a socket could have many wrong solutions verified before it is closed.
    let verified = false;
    if (!session.solving) {
      session.solving = true;
      verified = await this.#proofOfWork.verify(session.userId, rainId, challenge, solution).finally(() => { session.solving = false; });
    }
    if (verified) this.#issue(session, rainId, closesAt);
    else counters.refused.solutions++;
    return verified;
  }

  #isRequired(required: RequiredWhen): boolean {
    return required === 'always' || (required === 'pressure' && this.#context.pressed());
  }

  #readTicket(session: Session, rainId: string, text: string | undefined, time: number): Ticket | undefined {
    const ticket = text === undefined ? undefined : this.#tickets.read(text, session.userId, rainId, time);
    if (ticket) admissionStateOf(session, rainId, this.#context.limits).ticket = ticket;
    return ticket;
  }

  #issue(session: Session, rainId: string, closesAt: number): void {
    const { limits, counters } = this.#context;
    const admission = admissionStateOf(session, rainId, limits);
    admission.ticket = this.#tickets.issue(session.userId, rainId, closesAt + limits.ticketSlackMs);
    admission.challenge = undefined;
    counters.issued.ticket++;
    this.#sendTicket(session, rainId, admission.ticket);
  }

  #sendTicket(session: Session, rainId: string, { text, expiresAt }: Ticket): void {
    send(session, encode({ type: 'ticket', rainId, ticket: text, expiresAt }), this.#context.limits);
  }

  /** A user who joins again soon gets the same challenge, so repeated joins cost no extra work. */
  async #challenge(session: Session, rainId: string): Promise<boolean> {
    const { limits, counters, now } = this.#context;
    const admission = admissionStateOf(session, rainId, limits);
    if (!admission.challenge || admission.challengeUntil - now() < limits.challengeMs / 2) {
      if (!this.#challengeRate.tryRemoveTokens(1)) {
        counters.refused.challenges++;
        return false;
      }
      counters.issued.challenge++;
      admission.challengeUntil = now() + limits.challengeMs;
      admission.challenge = this.#proofOfWork.create(session.userId, rainId);
      admission.challenge.catch(() => { admission.challenge = undefined; });
    }
    const challenge = await admission.challenge;
    send(session, encode({ type: 'challenge', rainId, challenge }), limits);
    return true;
  }
}

/** Nobody can win any more: the answer is "ended" or the user's own win, without a ticket [R6]. */
function isOver({ state, readAt, closesAt }: CachedRain): boolean {
  return state === 'closed' || state === 'settled' || readAt >= closesAt;
}
