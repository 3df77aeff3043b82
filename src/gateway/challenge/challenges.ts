import { TokenBucket } from 'limiter';
import { encode } from '../../protocol/codec.ts';
import type { GrabMessage, RainSnapshot, SolutionMessage } from '../../protocol/messages.ts';
import type { CachedRain } from '../rains/rainCache.ts';
import { admissionStateOf } from './admissionState.ts';
import type { Limits } from '../limits.ts';
import { ProofOfWork } from './proofOfWork.ts';
import { send, type Session } from '../sockets/session.ts';
import type { GatewayCounters } from '../telemetry/counters.ts';
import { Tickets, type Ticket } from './tickets.ts';

/** When something is asked for: never, while the gateway is under pressure, or of everybody. */
type Demand = 'off' | 'pressure' | 'always';

export interface ChallengeRules {
  tickets: Exclude<Demand, 'off'>;
  proofOfWork: Demand;
  /** Shared by all gateways of a deployment. */
  secret: string;
  /** Of a challenge, at most; half of them on average. */
  proofOfWorkTries: number;
}

interface ChallengeContext {
  limits: Limits;
  counters: GatewayCounters;
  /** Redis's clock as estimated here, epoch ms. */
  now: () => number;
  /** More is asked of this gateway than it can do. */
  pressed: () => boolean;
}

/** What a grab hears that does not come through. */
interface ChallengeRefusal { code: '-9' }

const NO_TICKET: ChallengeRefusal = { code: '-9' };

/**
 * Hands out tickets and lets through who shows one. It decides who may ask, never who wins: Lua, the claim log and the money
 * know nothing of tickets.
 */
export class Challenges {
  readonly #rules: ChallengeRules;
  readonly #around: ChallengeContext;
  readonly #tickets: Tickets;
  readonly #proofOfWork: ProofOfWork;
  readonly #making: TokenBucket;

  constructor(rules: ChallengeRules, around: ChallengeContext) {
    const { limits: { challengeMs, challengesPerSecondMax }, now } = around;
    this.#rules = rules;
    this.#around = around;
    this.#tickets = new Tickets(rules.secret);
    this.#proofOfWork = new ProofOfWork({ secret: rules.secret, tries: rules.proofOfWorkTries, challengeMs, now });
    this.#making = new TokenBucket({ bucketSize: challengesPerSecondMax, tokensPerInterval: challengesPerSecondMax, interval: 'second' });
    this.#making.content = challengesPerSecondMax;
  }

  /**
   * Why this grab is not decided about, or nothing. For a ticket that was handed out or shown on this socket before, this is
   * one comparison of strings: not in constant time, since its holder is the one who asks.
   */
  refuses(session: Session, { rainId, ticket }: GrabMessage, rain: CachedRain): ChallengeRefusal | undefined {
    const { now, counters } = this.#around;
    if (!this.#inForce(this.#rules.tickets) || isOver(rain)) return undefined;
    const time = now();
    const known = session.admissions?.get(rainId);
    const same = known?.ticket !== undefined && known.ticket.text === ticket && known.ticket.expiresAt > time;
    if (same || this.#shown(session, rainId, ticket, time)) return undefined;
    counters.refused.tickets++;
    return NO_TICKET;
  }

  /** After a join: the ticket that he has, a challenge, or a ticket. @returns false: not now, he is to join again later */
  async greet(session: Session, { rainId, state, closesAt }: RainSnapshot, shown?: string): Promise<boolean> {
    if (state === 'closed' || state === 'settled') return true;
    const held = this.#shown(session, rainId, shown, this.#around.now()) ?? session.admissions?.get(rainId)?.ticket;
    // The end may have been moved since; whoever has been let in stays so.
    if (held && held.expiresAt > Math.max(closesAt, this.#around.now())) this.#hand(session, rainId, held);
    else if (held || !this.#inForce(this.#rules.proofOfWork)) this.#issue(session, rainId, closesAt);
    else return await this.#challenge(session, rainId);
    return true;
  }

  /** @param closesAt of the rain, epoch ms. @returns false when it is no solution, and changes nothing */
  async solve(session: Session, { rainId, challenge, solution }: SolutionMessage, closesAt: number): Promise<boolean> {
    const { counters, now } = this.#around;
    const held = session.admissions?.get(rainId)?.ticket;
    if (held && held.expiresAt > now()) {
      // Shown twice: it is worth one ticket, and is not looked at again.
      this.#hand(session, rainId, held);
      return true;
    }
    // One at a time: who is wrong is closed after so many, and not so many times in one breath.
    if (!session.solving) {
      session.solving = true;
      const solved = await this.#proofOfWork.solved(session.userId, rainId, challenge, solution).finally(() => { session.solving = false; });
      if (solved) {
        this.#issue(session, rainId, closesAt);
        return true;
      }
    }
    counters.refused.solutions++;
    return false;
  }

  #inForce(demand: Demand): boolean {
    return demand === 'always' || (demand === 'pressure' && this.#around.pressed());
  }

  #shown(session: Session, rainId: string, text: string | undefined, time: number): Ticket | undefined {
    const ticket = text === undefined ? undefined : this.#tickets.read(text, session.userId, rainId, time);
    if (ticket) admissionStateOf(session, rainId, this.#around.limits).ticket = ticket;
    return ticket;
  }

  #issue(session: Session, rainId: string, closesAt: number): void {
    const { limits, counters } = this.#around;
    const admission = admissionStateOf(session, rainId, limits);
    admission.ticket = this.#tickets.issue(session.userId, rainId, closesAt + limits.ticketSlackMs);
    admission.challenge = undefined;
    counters.issued.ticket++;
    this.#hand(session, rainId, admission.ticket);
  }

  #hand(session: Session, rainId: string, { text, expiresAt }: Ticket): void {
    send(session, encode({ type: 'ticket', rainId, ticket: text, expiresAt }), this.#around.limits);
  }

  /** Who joins again soon gets the same one: joining makes no more work. */
  async #challenge(session: Session, rainId: string): Promise<boolean> {
    const { limits, counters, now } = this.#around;
    const admission = admissionStateOf(session, rainId, limits);
    if (!admission.challenge || admission.challengeUntil - now() < limits.challengeMs / 2) {
      if (!this.#making.tryRemoveTokens(1)) {
        counters.refused.challenges++;
        return false;
      }
      counters.issued.challenge++;
      admission.challengeUntil = now() + limits.challengeMs;
      admission.challenge = this.#proofOfWork.make(session.userId, rainId);
      admission.challenge.catch(() => { admission.challenge = undefined; });
    }
    const challenge = await admission.challenge;
    send(session, encode({ type: 'challenge', rainId, challenge }), limits);
    return true;
  }
}

/** Whoever asks now can win nothing any more: he hears so, or what he has won, without a ticket [R6]. */
function isOver({ state, readAt, closesAt }: CachedRain): boolean {
  return state === 'closed' || state === 'settled' || readAt >= closesAt;
}
