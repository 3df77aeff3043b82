import { NICKNAME_CHARACTERS_MAX } from '../../src/rain/names.ts';
import { takeCode, takeName } from './credentials.ts';
import type { Invitation } from './link.ts';
import { element } from './page.ts';
import type { Words } from './words/en.ts';

/** Longer ids are cut, so that both buttons stay on the screen. Ids, not names: two users may have one name. */
const SHOWN_MAX = 40;
const shown = (userId: string): string => (userId.length > SHOWN_MAX ? `${userId.slice(0, SHOWN_MAX)}…` : userId);

/** Asks whether the page is to become that of another user. Escape and the first button keep the user. */
export function askIdentity({ from, to, accept }: Invitation, { identity }: Words): Promise<void> {
  const dialog = element<HTMLDialogElement>('.identity');
  element('.identity-title').textContent = identity.title;
  element('.identity-now').textContent = identity.now(shown(from));
  element('.identity-then').textContent = identity.after(shown(to));
  element('.identity-warning').textContent = identity.warning;
  const [stay, change] = [element<HTMLButtonElement>('.identity-stay'), element<HTMLButtonElement>('.identity-change')];
  stay.textContent = identity.stay;
  change.textContent = identity.change;
  stay.addEventListener('click', () => dialog.close());
  change.addEventListener('click', () => {
    accept();
    dialog.close();
  });
  dialog.showModal();
  return new Promise((resolve) => {
    dialog.addEventListener('close', () => resolve(), { once: true });
  });
}

/** Asks a guest for a name. A guest may have none. @param hidden nobody but the operator sees it */
export function askName({ nickname }: Words, hidden: boolean): Promise<void> {
  return ask(
    element<HTMLDialogElement>('.nickname'),
    { ...nickname, ...(hidden && { told: nickname.toldHidden }) },
    async (typed) => (takeName(typed) ? undefined : nickname.refused(NICKNAME_CHARACTERS_MAX)),
  );
}

/**
 * Asks a participant for the code.
 * @param without the choice without a code: a guest, or the user of the page; absent: nobody. @param refused a
 *   code that the page knew is no longer valid
 * @returns a token, or `undefined` for a person without a code
 */
export async function askCode(
  { code: { skip, ...texts }, identity: { stay } }: Words,
  without: 'guest' | 'user' | undefined,
  refused: boolean,
): Promise<string | undefined> {
  let token: string | undefined;
  await ask(
    element<HTMLDialogElement>('.code'),
    { ...texts, ...(without && { skip: without === 'guest' ? skip : stay }) },
    async (typed) => {
      try {
        token = await takeCode(typed);
      } catch {
        return texts.unanswered;
      }
      return token === undefined ? texts.unknown : undefined;
    },
    refused ? texts.unknown : '',
  );
  return token;
}

interface Texts {
  title: string;
  told: string;
  join: string;
  /** Absent: the question stays until it is answered. */
  skip?: string;
}

/**
 * Asks until `take` finds nothing wrong with the answer. Escape and the second button skip a question that may be
 * skipped.
 */
function ask(
  dialog: HTMLDialogElement,
  { title, told, join, skip }: Texts,
  take: (typed: string) => Promise<string | undefined>,
  wrong = '',
): Promise<void> {
  const part = <E extends HTMLElement>(name: string) => dialog.querySelector<E>(`.question-${name}`)!;
  const [field, error] = [part<HTMLInputElement>('field'), part('error')];
  const [joinButton, skipButton] = [part<HTMLButtonElement>('join'), part<HTMLButtonElement>('skip')];
  part('title').textContent = title;
  part('told').textContent = told;
  joinButton.textContent = join;
  skipButton.textContent = skip ?? '';
  skipButton.hidden = skip === undefined;
  error.textContent = wrong;
  let mayClose = skip !== undefined;
  const wait = (on: boolean) => {
    joinButton.disabled = skipButton.disabled = on;
  };
  skipButton.onclick = () => dialog.close();
  part<HTMLFormElement>('form').onsubmit = async (event) => {
    event.preventDefault();
    mayClose = false;
    wait(true);
    error.textContent = '';
    const found = await take(field.value);
    wait(false);
    mayClose = found === undefined || skip !== undefined;
    if (found === undefined) return dialog.close();
    error.textContent = found;
    field.focus();
  };
  const onCancel = (event: Event) => {
    if (!mayClose) event.preventDefault();
  };
  dialog.addEventListener('cancel', onCancel);
  dialog.showModal();
  return new Promise((resolve) => {
    dialog.addEventListener('close', function onClose() {
      // A browser closes it at a second Escape, whatever the page says.
      if (!mayClose) return dialog.showModal();
      dialog.removeEventListener('cancel', onCancel);
      dialog.removeEventListener('close', onClose);
      resolve();
    });
  });
}
