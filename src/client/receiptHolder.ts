import type { ClientMessage, ReceiptStatus, ResultMessage } from '../protocol/messages.ts';
import { delayBeforeRetry } from '../platform/network/backoff.ts';
import { SHOW_AGAIN } from './backoff.ts';
import { packetOf, type Packet } from './outcome.ts';

/** The proof that the server told the user of a win. */
export interface Receipt extends Packet {
  receipt: string;
}

/**
 * Where the app keeps receipts, so that they outlive the page. Its errors are passed on to nobody: a page works without
 * storage.
 */
export interface ReceiptStore {
  read(rainId: string, userId: string): Receipt | undefined;
  /** Replaces an earlier one. */
  write(rainId: string, userId: string, receipt: Receipt): void;
}

/**
 * If a join has not reported the win within this time, the receipt is shown, ms; random up to twice as long, since many
 * users may do so at once.
 */
const SHOW_AFTER_MS = 3_000;

interface ReceiptHolderOptions {
  rainId: string;
  random: () => number;
  send: (message: ClientMessage) => boolean;
  read: () => Receipt | undefined;
  write: (receipt: Receipt) => void;
  /** Tells the outcome of a receipt that was shown. */
  onStatus: (packet: Packet, status: ReceiptStatus) => void;
}

/** Keeps the receipt of one user in one rain, and shows it when the server does not seem to know the win any more. */
export class ReceiptHolder {
  readonly #options: ReceiptHolderOptions;
  #receipt: Receipt | undefined;
  /**
   * A gateway did not take it for genuine. It may lack the secret, so the receipt stays stored; another win replaces
   * it.
   */
  #isDoubted = false;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** Since the last join. */
  #busyAnswers = 0;

  constructor(options: ReceiptHolderOptions) {
    this.#options = options;
  }

  /** The first receipt counts: a second packet would mean that the server has lost the first. */
  receiveResult(result: ResultMessage): void {
    const packet = packetOf(result);
    if (!packet) return;
    this.reported(packet.redPacketId);
    if ((this.#receipt && !this.#isDoubted) || result.receipt === undefined) return;
    const receipt = { ...packet, receipt: result.receipt };
    this.#receipt = receipt;
    this.#isDoubted = false;
    quietly(() => this.#options.write(receipt));
  }

  /** The server has named this packet. */
  reported(redPacketId: string): void {
    if (this.#receipt === undefined || redPacketId === this.#receipt.redPacketId) clearTimeout(this.#timer);
  }

  joined(): void {
    this.#receipt ??= quietly(() => this.#options.read());
    this.#busyAnswers = 0;
    this.#showAfter(SHOW_AFTER_MS * (1 + this.#options.random()));
  }

  receiveStatus(redPacketId: string, status: ReceiptStatus): void {
    const receipt = this.#receipt;
    if (receipt?.redPacketId !== redPacketId) return;
    if (status === 'not_genuine') this.#isDoubted = true;
    if (status === 'busy') this.#showAfter(delayBeforeRetry(++this.#busyAnswers, SHOW_AGAIN, this.#options.random));
    this.#options.onStatus({ redPacketId, amount: receipt.amount }, status);
  }

  disconnected(): void {
    clearTimeout(this.#timer);
  }

  forget(): void {
    clearTimeout(this.#timer);
    this.#receipt = undefined;
    this.#isDoubted = false;
  }

  #showAfter(ms: number): void {
    clearTimeout(this.#timer);
    if (!this.#receipt) return;
    const { rainId, send } = this.#options;
    const { redPacketId, amount, receipt } = this.#receipt;
    this.#timer = setTimeout(() => send({ type: 'receipt', rainId, redPacketId, amount, receipt }), ms);
  }
}

function quietly<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}
