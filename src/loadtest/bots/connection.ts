import { reconnectAfter, type Loss } from '../../client/reconnect.ts';
import type { ClientMessage } from '../../protocol/messages.ts';
import { describeLoss, dial, type BotSocket } from './socket.ts';
import type { BotOutcome } from './outcome.ts';
import { backoffMs } from './retryPolicy.ts';
import type { ReceivedMessage } from './serverMessage.ts';
import type { LoadtestEnvironment } from '../environment.ts';

interface ConnectionEvents {
  onMessage(message: ReceivedMessage): void;
  /** The connection is open, and the join follows. */
  onWelcome(): void;
  ticket(): string | undefined;
  /** The connection is lost and will be opened again; pending requests get no answer. */
  onBroken(): void;
  /**
   * There will be no further connection. Called exactly once, as the last event.
   * @param why `aborted`: the user has left
   */
  onGone(why: Extract<BotOutcome, { kind: 'aborted' | 'refused' | 'gave_up' }>): void;
  /** There is no token, or it has invalid characters. */
  onFault(fault: unknown): void;
}

/** Keeps one user connected and joined, and reconnects after a pause when the connection is lost. */
export class Connection {
  readonly #environment: LoadtestEnvironment;
  readonly #userId: string;
  readonly #localAddress: string | undefined;
  readonly #events: ConnectionEvents;
  #socket: BotSocket | undefined;
  #timer: NodeJS.Timeout | undefined;
  #welcomed = false;
  #leaving = false;
  #dials = 0;
  /** Connections lost since the last answer, for the backoff. */
  #failures = 0;
  /** When the closing gateway asked this user to reconnect (local clock); this has priority over the backoff. */
  #reconnectAt: number | undefined;

  constructor(
    environment: LoadtestEnvironment,
    userId: string,
    localAddress: string | undefined,
    events: ConnectionEvents,
  ) {
    this.#environment = environment;
    this.#userId = userId;
    this.#localAddress = localAddress;
    this.#events = events;
  }

  /** @param invited the gateway chose this time, so there is no throttle: it spreads its players itself */
  async open(invited = false): Promise<void> {
    const { throttle, tokenFor, counters, retryPolicy, now } = this.#environment;
    try {
      const passed = invited || (await throttle.pass());
      if (this.#leaving) return;
      if (!passed) return this.#events.onGone({ kind: 'aborted' });
      const token = await tokenFor(this.#userId);
      if (this.#leaving) return;
      this.#dials++;
      counters.dials++;
      const dialledAt = now();
      this.#socket = dial(this.#environment, token, this.#localAddress, {
        onMessage: (message) => this.#receive(message, dialledAt),
        onUnreadable: () => {
          counters.misunderstood++;
        },
        onLost: (loss) => this.#onLost(loss),
      });
      this.#expectWithin(retryPolicy.handshakeMs + retryPolicy.answerMs);
    } catch (fault) {
      this.#events.onFault(fault);
    }
  }

  /**
   * Sends a request; without `answered` in time the connection counts as lost. Without a connection the request is
   * dropped.
   */
  ask(message: ClientMessage): void {
    if (!this.#welcomed) return;
    this.#socket?.send(message);
    this.#expectWithin(this.#environment.retryPolicy.answerMs);
  }

  join(): void {
    const ticket = this.#events.ticket();
    this.ask({ type: 'join', rainId: this.#environment.rainId, ...(ticket !== undefined && { ticket }) });
  }

  answered(): void {
    clearTimeout(this.#timer);
    this.#failures = 0;
  }

  drop(): void {
    this.#socket?.destroy();
  }

  /** @returns continues to read, if the connection still exists */
  stopReading(): () => void {
    return this.#socket?.stopReading() ?? (() => {});
  }

  /** `onGone` follows, at once or when the socket is closed. */
  leave(how: 'politely' | 'at once'): void {
    if (this.#leaving) return;
    this.#leaving = true;
    clearTimeout(this.#timer);
    if (!this.#socket) return this.#events.onGone({ kind: 'aborted' });
    if (how === 'politely') this.#socket.close();
    else this.#socket.destroy();
  }

  /** Half-open sockets send no close event, so a missing answer ends them. */
  #expectWithin(ms: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#socket?.destroy(), ms);
  }

  #receive(message: ReceivedMessage, dialledAt: number): void {
    const { clock, counters, now } = this.#environment;
    if (this.#leaving) return;
    switch (message.type) {
      case 'welcome':
        clock.observe(dialledAt, message.serverTime);
        this.#welcomed = true;
        counters.connected(1, now());
        this.#events.onWelcome();
        this.#socket?.send({ type: 'ping', t: now() });
        return this.join();
      case 'pong':
        return clock.observe(message.t, message.serverTime);
      case 'goodbye':
        this.#reconnectAt = now() + message.reconnectInMs;
        return;
      default:
        return this.#events.onMessage(message);
    }
  }

  #onLost(loss: Loss): void {
    clearTimeout(this.#timer);
    const { counters } = this.#environment;
    const welcomed = this.#welcomed;
    this.#socket = undefined;
    this.#welcomed = false;
    if (welcomed) counters.connected(-1, this.#environment.now());
    if (this.#leaving) return this.#events.onGone({ kind: 'aborted' });
    if (welcomed) counters.lostLines++;
    else {
      counters.failedDials++;
      counters.lastFailure = loss;
    }
    const reconnectAt = this.#reconnectAt;
    this.#reconnectAt = undefined;
    const awayMs = reconnectAt === undefined ? undefined : Math.max(0, reconnectAt - this.#environment.now());
    // Every connection fetches its own token.
    const reconnect = reconnectAfter({ loss, awayMs, welcomed, freshToken: true, failures: this.#failures });
    if (reconnect.kind === 'never' || this.#dials >= this.#environment.retryPolicy.dialsMax) {
      this.#leaving = true;
      return this.#events.onGone(
        loss.kind === 'refused'
          ? { kind: 'refused', status: loss.status }
          : { kind: 'gave_up', reason: describeLoss(loss) },
      );
    }
    this.#events.onBroken();
    switch (reconnect.kind) {
      case 'invited':
        this.#timer = setTimeout(() => void this.open(true), reconnect.afterMs);
        return;
      case 'later':
        this.#timer = setTimeout(
          () => void this.open(),
          reconnect.atLeastMs + backoffMs(this.#failures++, this.#environment.random, this.#environment.retryPolicy),
        );
        return;
      default:
        return reconnect satisfies never;
    }
  }
}
