import type { Words } from '../words/words.ts';
import type { Account, OwnPacket } from './account.ts';

/** While money is on its way, and the sheet is open, it is looked for this often. */
const LOOK_AGAIN_MS = 3_000;

interface WalletSheetOptions {
  words: Words;
  /** @returns `undefined` while nobody has come in */
  read: () => Promise<Account | undefined>;
}

/** The sheet "my packets and wallet". A dialog of the browser: it keeps the focus inside, closes on Escape and gives the focus back. */
export class WalletSheet {
  readonly #options: WalletSheetOptions;
  readonly #dialog: HTMLDialogElement;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(dialog: HTMLDialogElement, opener: HTMLElement, options: WalletSheetOptions) {
    this.#options = options;
    this.#dialog = dialog;
    const { walletSheet } = options.words;
    this.#part('.wallet-title').textContent = walletSheet.title;
    this.#part('.wallet-total-label').textContent = walletSheet.total;
    this.#part('.wallet-close').setAttribute('aria-label', walletSheet.close);
    this.#part('.wallet-close').addEventListener('click', () => this.close());
    opener.addEventListener('click', () => this.open());
    dialog.addEventListener('close', () => clearTimeout(this.#timer));
    // Beside the sheet is the dialog's own backdrop.
    dialog.addEventListener('click', ({ target }) => { if (target === dialog) this.close(); });
  }

  open(): void {
    if (this.#dialog.open) return;
    this.#dialog.showModal();
    if (!this.#part('.wallet-sum').textContent) this.#say(this.#options.words.walletSheet.loading);
    void this.#look();
  }

  close(): void {
    this.#dialog.close();
  }

  /** Something was won or credited: whoever looks sees it. */
  refresh(): void {
    if (this.#dialog.open) void this.#look();
  }

  async #look(): Promise<void> {
    clearTimeout(this.#timer);
    const { walletSheet } = this.#options.words;
    let account: Account | undefined;
    try {
      account = await this.#options.read();
    } catch {
      return this.#say(walletSheet.failed);
    }
    if (!account) return this.#say(walletSheet.guest);
    this.#show(account);
    const waiting = account.late || account.packets.some(({ status }) => status === 'pending');
    if (waiting && this.#dialog.open) this.#timer = setTimeout(() => void this.#look(), LOOK_AGAIN_MS);
  }

  #show({ wallet, pending, packets, more, late }: Account): void {
    const { words } = this.#options;
    this.#part('.wallet-sum').textContent = words.money(wallet);
    this.#part('.wallet-pending').textContent = /[1-9]/.test(pending) ? `+ ${words.money(pending)} ${words.walletSheet.pending}` : '';
    this.#part('.wallet-list').replaceChildren(...packets.map((packet) => this.#row(packet)));
    this.#say(late ? words.walletSheet.late : packets.length === 0 ? words.walletSheet.empty : more ? words.walletSheet.more : '');
  }

  #row({ title, rainId, amount, at, status, rehearsal }: OwnPacket): HTMLElement {
    const { words } = this.#options;
    const row = document.createElement('li');
    row.dataset['status'] = status;
    const when = new Date(at);
    const time = Number.isNaN(when.getTime()) ? '' : when.toLocaleString(words.lang, { month: 'short', day: 'numeric', hour: '2-digit', minute: '2-digit' });
    row.append(
      line('wallet-name', title || rainId), line('wallet-amount', words.money(amount)),
      line('wallet-when', rehearsal ? `${words.walletSheet.rehearsal} · ${time}` : time), line('wallet-status', words.walletSheet.status[status]),
    );
    return row;
  }

  #say(word: string): void {
    if (this.#part('.wallet-word').textContent !== word) this.#part('.wallet-word').textContent = word;
  }

  #part(selector: string): HTMLElement {
    return this.#dialog.querySelector<HTMLElement>(selector)!;
  }
}

/** Names from outside become text, never markup. */
function line(name: string, text: string): HTMLElement {
  const part = document.createElement('span');
  part.className = name;
  part.textContent = text;
  return part;
}
