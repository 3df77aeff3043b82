import { reconnectAfter, type Loss } from '../client/reconnect.ts';
import type { ClientMessage } from '../protocol/messages.ts';
import { describeLoss, dial, type BotSocket } from './socket.ts';
import { backoffMs } from './retryPolicy.ts';
import type { HeardMessage } from './serverMessage.ts';
import type { LoadtestEnvironment } from './environment.ts';

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
  readonly #around: LoadtestEnvironment;
  readonly #userId: string;
  readonly #localAddress: string | undefined;
  readonly #events: ConnectionEvents;
  #socket: BotSocket | undefined;
  #timer: NodeJS.Timeout | undefined;
  #welcomed = false;
  #leaving = false;
  #dials = 0;
  /** Lines lost since the last answer: how far to back off. */
  #failures = 0;
  /** When the gateway that is closing wants to see him again (local clock); nothing else decides then. */
  #comeBackAt: number | undefined;

  constructor(around: LoadtestEnvironment, userId: string, localAddress: string | undefined, events: ConnectionEvents) {
    this.#around = around;
    this.#userId = userId;
    this.#localAddress = localAddress;
    this.#events = events;
  }

  /** @param invited at this very moment: no throttle, the gateway has spread its players itself */
  async open(invited = false): Promise<void> {
    const { throttle, tokenFor, counters, retryPolicy, address, now } = this.#around;
    try {
      const passed = invited || await throttle.pass();
      if (this.#leaving) return;
      if (!passed) return this.#events.onGone({ kind: 'left' });
      const token = await tokenFor(this.#userId);
      if (this.#leaving) return;
      this.#dials++;
      counters.dials++;
      const dialledAt = now();
      this.#socket = dial({ address, token, localAddress: this.#localAddress, retryPolicy }, {
        onMessage: (message) => this.#hear(message, dialledAt),
        onUnreadable: () => { counters.misunderstood++; },
        onLost: (loss) => this.#lose(loss),
      });
      this.#expectWithin(retryPolicy.handshakeMs + retryPolicy.answerMs);
    } catch (fault) {
      this.#events.onFault(fault);
    }
  }

  /** Says something that will be answered; if `answered` is not called in time, the line counts as lost. Without a line it is dropped. */
  ask(message: ClientMessage): void {
    if (!this.#welcomed) return;
    this.#socket?.say(message);
    this.#expectWithin(this.#around.retryPolicy.answerMs);
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
    this.#socket?.cut();
  }

  /** @returns reads on, should the line still be there */
  stopReading(): () => void {
    return this.#socket?.stopReading() ?? (() => {});
  }

  /** `onGone` follows, at once or when the socket is closed. */
  leave(how: 'politely' | 'at once'): void {
    if (this.#leaving) return;
    this.#leaving = true;
    clearTimeout(this.#timer);
    if (!this.#socket) return this.#events.onGone({ kind: 'left' });
    if (how === 'politely') this.#socket.hangUp();
    else this.#socket.cut();
  }

  /** Half-open sockets never say that they are lost; silence does. */
  #expectWithin(ms: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#socket?.cut(), ms);
  }

  #hear(message: HeardMessage, dialledAt: number): void {
    const { clock, counters, now } = this.#around;
    if (this.#leaving) return;
    switch (message.type) {
      case 'welcome':
        clock.observe(dialledAt, message.serverTime);
        this.#welcomed = true;
        counters.connected(1, now());
        this.#events.onWelcome?.();
        this.#socket?.say({ type: 'ping', t: now() });
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
    const { counters } = this.#around;
    const welcomed = this.#welcomed;
    this.#socket = undefined;
    this.#welcomed = false;
    if (welcomed) counters.connected(-1, this.#around.now());
    if (this.#leaving) return this.#events.onGone({ kind: 'left' });
    if (welcomed) counters.lostLines++;
    else {
      counters.failedDials++;
      counters.lastFailure = loss;
    }
    const comeBackAt = this.#comeBackAt;
    this.#comeBackAt = undefined;
    const awayMs = comeBackAt === undefined ? undefined : Math.max(0, comeBackAt - this.#around.now());
    // A token is fetched for every line.
    const reconnect = reconnectAfter({ loss, awayMs, welcomed, freshToken: true, failures: this.#failures });
    if (reconnect.kind === 'never' || this.#dials >= this.#around.retryPolicy.dialsMax) {
      this.#leaving = true;
      return this.#events.onGone(loss.kind === 'refused' ? { kind: 'refused', status: loss.status } : { kind: 'gave_up', reason: describeLoss(loss) });
    }
    this.#events.onBroken();
    switch (reconnect.kind) {
      case 'invited':
        this.#timer = setTimeout(() => void this.open(true), reconnect.afterMs);
        return;
      case 'later':
        this.#timer = setTimeout(() => void this.open(), reconnect.atLeastMs + backoffMs(this.#failures++, this.#around.random, this.#around.retryPolicy));
        return;
      default: return reconnect satisfies never;
    }
  }
}
