import type { Invitation } from './credentials.ts';
import { element } from './page.ts';
import type { Words } from './words/en.ts';

/** Longer ids are cut, so that both buttons stay on the screen. */
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
