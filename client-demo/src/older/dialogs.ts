/** Gives dialogs their methods in browsers that know none, such as Safari before 15.4. `older.css` shows them. */
export function supplyDialogs(): void {
  for (const dialog of document.querySelectorAll<HTMLDialogElement>('dialog'))
    if (typeof dialog.showModal !== 'function') supply(dialog);
}

function supply(dialog: HTMLDialogElement): void {
  let before: Element | null = null;
  const focus = () => (dialog.querySelector<HTMLElement>('input, button:not([hidden])') ?? dialog).focus();
  const onFocus = ({ target }: FocusEvent) => {
    if (target instanceof Node && !dialog.contains(target)) focus();
  };
  const onKey = ({ key }: KeyboardEvent) => {
    if (key === 'Escape' && dialog.dispatchEvent(new Event('cancel', { cancelable: true }))) dialog.close();
  };
  dialog.setAttribute('role', 'dialog');
  dialog.setAttribute('aria-modal', 'true');
  dialog.setAttribute('data-older', '');
  Object.defineProperty(dialog, 'open', { configurable: true, get: () => dialog.hasAttribute('open') });
  Object.defineProperties(dialog, {
    showModal: {
      value() {
        before = document.activeElement;
        dialog.setAttribute('open', '');
        document.addEventListener('focusin', onFocus);
        document.addEventListener('keydown', onKey);
        focus();
      },
    },
    close: {
      value() {
        if (!dialog.hasAttribute('open')) return;
        dialog.removeAttribute('open');
        document.removeEventListener('focusin', onFocus);
        document.removeEventListener('keydown', onKey);
        if (before instanceof HTMLElement) before.focus();
        // As browsers do: after the caller has gone on.
        setTimeout(() => dialog.dispatchEvent(new Event('close')));
      },
    },
  });
}
