import { comebackAfter, type Loss } from '../client/comeback.ts';
import type { ClientMessage } from '../protocol/messages.ts';
import { describeLoss, dial, type Line } from './line.ts';
import { backoffMs } from './patience.ts';
import type { HeardMessage } from './server-message.ts';
import type { Surroundings } from './surroundings.ts';

/** Why there will be no other line. */
type Gone = { kind: 'left' } | { kind: 'refused'; status: number } | { kind: 'gave_up'; reason: string };

interface ConnectionEvents {
  onMessage(message: HeardMessage): void;
  /** The line stands, and he is about to join. */
  onWelcome?(): void;
  /** The ticket that he has from before. */
  ticket?(): string | undefined;
  /** The line is lost and another will be dialled: what was asked stays unanswered. */
  onBroken(): void;
  /** Exactly once, and nothing after it. */
  onGone(gone: Gone): void;
  /** No token could be had, or it cannot stand in a header. */
  onFault(fault: unknown): void;
}

/** Keeps one user connected and joined: dials, says hello, and after a pause dials again when the line is lost. */
export class Connection {
  readonly #around: Surroundings;
  readonly #userId: string;
  readonly #localAddress: string | undefined;
  readonly #events: ConnectionEvents;
  #line: Line | undefined;
  #timer: NodeJS.Timeout | undefined;
  #welcomed = false;
  #leaving = false;
  #dials = 0;
  /** Lines lost since the last answer: how far to back off. */
  #failures = 0;
  /** When the gateway that is closing wants to see him again (local clock); nothing else decides then. */
  #comeBackAt: number | undefined;

  constructor(around: Surroundings, userId: string, localAddress: string | undefined, events: ConnectionEvents) {
    this.#around = around;
    this.#userId = userId;
    this.#localAddress = localAddress;
    this.#events = events;
  }

  /** @param invited at this very moment: no turnstile, the gateway has spread its players itself */
  async open(invited = false): Promise<void> {
    const { turnstile, tokenFor, tally, patience, address, now } = this.#around;
    try {
      const passed = invited || await turnstile.pass();
      if (this.#leaving) return;
      if (!passed) return this.#events.onGone({ kind: 'left' });
      const token = await tokenFor(this.#userId);
      if (this.#leaving) return;
      this.#dials++;
      tally.dials++;
      const dialledAt = now();
      this.#line = dial({ address, token, localAddress: this.#localAddress, patience }, {
        onMessage: (message) => this.#hear(message, dialledAt),
        onUnreadable: () => { tally.misunderstood++; },
        onLost: (loss) => this.#lose(loss),
      });
      this.#expectWithin(patience.handshakeMs + patience.answerMs);
    } catch (fault) {
      this.#events.onFault(fault);
    }
  }

  /** Says something that will be answered; if `answered` is not called in time, the line counts as lost. Without a line it is dropped. */
  ask(message: ClientMessage): void {
    if (!this.#welcomed) return;
    this.#line?.say(message);
    this.#expectWithin(this.#around.patience.answerMs);
  }

  join(): void {
    const ticket = this.#events.ticket?.();
    this.ask({ type: 'join', rainId: this.#around.rainId, ...(ticket !== undefined && { ticket }) });
  }

  answered(): void {
    clearTimeout(this.#timer);
    this.#failures = 0;
  }

  /** The line breaks: as if by itself. */
  drop(): void {
    this.#line?.cut();
  }

  /** @returns reads on, should the line still be there */
  stopReading(): () => void {
    return this.#line?.stopReading() ?? (() => {});
  }

  /** `onGone` follows, at once or when the socket is closed. */
  leave(how: 'politely' | 'at once'): void {
    if (this.#leaving) return;
    this.#leaving = true;
    clearTimeout(this.#timer);
    if (!this.#line) return this.#events.onGone({ kind: 'left' });
    if (how === 'politely') this.#line.hangUp();
    else this.#line.cut();
  }

  /** Half-open sockets never say that they are lost; silence does. */
  #expectWithin(ms: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#line?.cut(), ms);
  }

  #hear(message: HeardMessage, dialledAt: number): void {
    const { clock, tally, now } = this.#around;
    if (this.#leaving) return;
    switch (message.type) {
      case 'welcome':
        clock.observe(dialledAt, message.serverTime);
        this.#welcomed = true;
        tally.connected(1, now());
        this.#events.onWelcome?.();
        this.#line?.say({ type: 'ping', t: now() });
        return this.join();
      case 'pong':
        return clock.observe(message.t, message.serverTime);
      case 'goodbye':
        this.#comeBackAt = now() + message.reconnectInMs;
        return;
      default:
        return this.#events.onMessage(message);
    }
  }

  #lose(loss: Loss): void {
    clearTimeout(this.#timer);
    const { tally } = this.#around;
    const welcomed = this.#welcomed;
    this.#line = undefined;
    this.#welcomed = false;
    if (welcomed) tally.connected(-1, this.#around.now());
    if (this.#leaving) return this.#events.onGone({ kind: 'left' });
    if (welcomed) tally.lostLines++;
    else {
      tally.failedDials++;
      tally.lastFailure = loss;
    }
    const comeBackAt = this.#comeBackAt;
    this.#comeBackAt = undefined;
    const awayMs = comeBackAt === undefined ? undefined : Math.max(0, comeBackAt - this.#around.now());
    // A token is fetched for every line.
    const comeback = comebackAfter({ loss, awayMs, welcomed, freshToken: true, failures: this.#failures });
    if (comeback.kind === 'never' || this.#dials >= this.#around.patience.dialsMax) {
      this.#leaving = true;
      return this.#events.onGone(loss.kind === 'refused' ? { kind: 'refused', status: loss.status } : { kind: 'gave_up', reason: describeLoss(loss) });
    }
    this.#events.onBroken();
    switch (comeback.kind) {
      case 'invited':
        this.#timer = setTimeout(() => void this.open(true), comeback.afterMs);
        return;
      case 'later':
        this.#timer = setTimeout(() => void this.open(), comeback.atLeastMs + backoffMs(this.#failures++, this.#around.random, this.#around.patience));
        return;
      default: return comeback satisfies never;
    }
  }
}
