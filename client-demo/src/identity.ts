import { NICKNAME_CHARACTERS_MAX } from '../../src/rain/names.ts';
import { takeName, type Invitation } from './credentials.ts';
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
  element('.identity-then').textContent = identity.then(shown(to));
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
  return new Promise((resolve) => { dialog.addEventListener('close', () => resolve(), { once: true }); });
}

/** Asks a guest for a name. Escape and the second button leave the guest without one. */
export function askName({ nickname }: Words): Promise<void> {
  const dialog = element<HTMLDialogElement>('.nickname');
  const field = element<HTMLInputElement>('.nickname-field');
  element('.nickname-title').textContent = nickname.title;
  element('.nickname-told').textContent = nickname.told;
  element('.nickname-join').textContent = nickname.join;
  const skip = element<HTMLButtonElement>('.nickname-skip');
  skip.textContent = nickname.skip;
  skip.addEventListener('click', () => dialog.close());
  element<HTMLFormElement>('.nickname-form').addEventListener('submit', (event) => {
    event.preventDefault();
    if (takeName(field.value)) return dialog.close();
    element('.nickname-error').textContent = nickname.refused(NICKNAME_CHARACTERS_MAX);
    field.focus();
  });
  dialog.showModal();
  return new Promise((resolve) => { dialog.addEventListener('close', () => resolve(), { once: true }); });
}
