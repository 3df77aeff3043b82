import type { ClientMessage, ReceiptStatus, ResultMessage } from '../protocol/messages.ts';
import { packetOf, type Packet } from './outcome.ts';

/** The proof that the server told the user of a win. */
export interface Receipt extends Packet {
  receipt: string;
}

/** Where the app keeps receipts, so that they outlive the page. What it throws is passed on to nobody: a page works without storage. */
export interface ReceiptStore {
  read(rainId: string, userId: string): Receipt | undefined;
  /** `undefined`: the receipt is worthless. */
  write(rainId: string, userId: string, receipt: Receipt | undefined): void;
}

/** If a join has not reported the win within this time, the receipt is shown, ms; random up to twice as long, since many users may do so at once. */
const SHOW_AFTER_MS = 3_000;

interface ReceiptHolderOptions {
  rainId: string;
  random: () => number;
  send: (message: ClientMessage) => boolean;
  read: () => Receipt | undefined;
  write: (receipt: Receipt | undefined) => void;
  /** What became of a receipt that was shown. */
  onStatus: (packet: Packet, status: ReceiptStatus) => void;
}

/** Keeps the receipt of one user in one rain, and shows it when the server does not seem to know the win any more. */
export class ReceiptHolder {
  readonly #options: ReceiptHolderOptions;
  #receipt: Receipt | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(options: ReceiptHolderOptions) {
    this.#options = options;
  }

  /** The first receipt counts: a second packet would mean that the server has lost the first. */
  receiveResult(result: ResultMessage): void {
    const packet = packetOf(result);
    if (!packet) return;
    this.reported(packet.redPacketId);
    if (this.#receipt || result.receipt === undefined) return;
    this.#receipt = { ...packet, receipt: result.receipt };
    quietly(() => this.#options.write(this.#receipt));
  }

  /** The server has named this packet. */
  reported(redPacketId: string): void {
    if (this.#receipt === undefined || redPacketId === this.#receipt.redPacketId) clearTimeout(this.#timer);
  }

  joined(): void {
    clearTimeout(this.#timer);
    this.#receipt ??= quietly(() => this.#options.read());
    const receipt = this.#receipt;
    if (receipt) this.#timer = setTimeout(() => this.#show(receipt), SHOW_AFTER_MS * (1 + this.#options.random()));
  }

  receiveStatus(redPacketId: string, status: ReceiptStatus): void {
    const receipt = this.#receipt;
    if (receipt?.redPacketId !== redPacketId) return;
    if (status === 'not_genuine') {
      this.#receipt = undefined;
      quietly(() => this.#options.write(undefined));
    }
    this.#options.onStatus({ redPacketId, amount: receipt.amount }, status);
  }

  disconnected(): void {
    clearTimeout(this.#timer);
  }

  forget(): void {
    clearTimeout(this.#timer);
    this.#receipt = undefined;
  }

  #show({ redPacketId, amount, receipt }: Receipt): void {
    this.#options.send({ type: 'receipt', rainId: this.#options.rainId, redPacketId, amount, receipt });
  }
}

function quietly<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}
