import { setChildren, textElement } from '../page.ts';
import type { Words } from '../words/en.ts';
import type { Account, OwnPacket } from './account.ts';

/** Refresh interval while the sheet is open and money is on its way. */
const REFRESH_MS = 3_000;

interface WalletSheetOptions {
  words: Words;
  /** @returns `undefined` while there is no token */
  read: () => Promise<Account | undefined>;
}

/** The sheet "My packets and wallet". A native dialog: it traps the focus, closes on Escape and restores the focus. */
export class WalletSheet {
  readonly #options: WalletSheetOptions;
  readonly #dialog: HTMLDialogElement;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(dialog: HTMLDialogElement, opener: HTMLElement, options: WalletSheetOptions) {
    this.#options = options;
    this.#dialog = dialog;
    const { walletSheet } = options.words;
    this.#find('.wallet-title').textContent = walletSheet.title;
    this.#find('.wallet-total-label').textContent = walletSheet.total;
    this.#find('.wallet-close').setAttribute('aria-label', walletSheet.close);
    this.#find('.wallet-close').addEventListener('click', () => this.close());
    opener.addEventListener('click', () => this.open());
    dialog.addEventListener('close', () => clearTimeout(this.#timer));
    // A click on the backdrop has the dialog itself as its target.
    dialog.addEventListener('click', ({ target }) => {
      if (target === dialog) this.close();
    });
  }

  open(): void {
    if (this.#dialog.open) return;
    this.#dialog.showModal();
    if (!this.#find('.wallet-sum').textContent) this.#showMessage(this.#options.words.walletSheet.loading);
    void this.#load();
  }

  close(): void {
    this.#dialog.close();
  }

  refresh(): void {
    if (this.#dialog.open) void this.#load();
  }

  async #load(): Promise<void> {
    clearTimeout(this.#timer);
    const { walletSheet } = this.#options.words;
    let account: Account | undefined;
    try {
      account = await this.#options.read();
    } catch {
      return this.#showMessage(walletSheet.failed);
    }
    if (!account) return this.#showMessage(walletSheet.guest);
    this.#show(account);
    const waiting = account.late || account.packets.some(({ status }) => status === 'pending');
    if (waiting && this.#dialog.open) this.#timer = setTimeout(() => void this.#load(), REFRESH_MS);
  }

  #show({ wallet, pending, packets, more, late }: Account): void {
    const { words } = this.#options;
    this.#find('.wallet-sum').textContent = words.money(wallet);
    this.#find('.wallet-pending').textContent = /[1-9]/.test(pending)
      ? `+ ${words.money(pending)} ${words.walletSheet.pending}`
      : '';
    setChildren(this.#find('.wallet-list'), ...packets.map((packet) => this.#row(packet)));
    this.#showMessage(
      late
        ? words.walletSheet.late
        : packets.length === 0
          ? words.walletSheet.empty
          : more
            ? words.walletSheet.more
            : '',
    );
  }

  #row({ title, rainId, amount, at, status, rehearsal }: OwnPacket): HTMLElement {
    const { words } = this.#options;
    const row = document.createElement('li');
    row.dataset['status'] = status;
    const when = new Date(at);
    const time = Number.isNaN(when.getTime())
      ? ''
      : when.toLocaleString(words.lang, { month: 'short', day: 'numeric', hour: '2-digit', minute: '2-digit' });
    row.append(
      textElement('wallet-name', title || rainId),
      textElement('wallet-amount', words.money(amount)),
      textElement('wallet-when', rehearsal ? `${words.walletSheet.rehearsal} · ${time}` : time),
      textElement('wallet-status', words.walletSheet.status[status]),
    );
    return row;
  }

  #showMessage(word: string): void {
    if (this.#find('.wallet-word').textContent !== word) this.#find('.wallet-word').textContent = word;
  }

  #find(selector: string): HTMLElement {
    return this.#dialog.querySelector<HTMLElement>(selector)!;
  }
}
