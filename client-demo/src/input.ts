interface InputListener {
  /** Whether taps and keys are for the rain now. */
  isActive: () => boolean;
  /** First user activity: from now on the browser allows sound. */
  onWake: () => void;
  onPress: (clientX: number, clientY: number) => void;
  onKey: () => void;
  /** Position of the pointer, -1 left to 1 right. */
  onLean: (lean: number) => void;
}

/** Elements that handle keys themselves. */
const OWN_KEYS = 'a, button:not(.grab), dialog';

/** Touch, mouse and keyboard. The keys grab from anywhere on the page, for users who cannot point. */
export function listenToInput({ isActive, onWake, onPress, onKey, onLean }: InputListener): void {
  document.addEventListener('pointerdown', ({ clientX, clientY, target }) => {
    if (!isActive() || (target instanceof Element && target.closest('button, a, dialog'))) return;
    onPress(clientX, clientY);
  });
  document.addEventListener(
    'pointermove',
    ({ clientX, pointerType }) => {
      if (pointerType === 'mouse') onLean((clientX / innerWidth) * 2 - 1);
    },
    { passive: true },
  );
  // Browsers count `pointerup`, not `pointerdown`, as user activation.
  for (const event of ['pointerup', 'keydown'] as const) document.addEventListener(event, onWake);
  document.addEventListener('keydown', (event) => {
    if (
      !isActive() ||
      (event.key !== ' ' && event.key !== 'Enter') ||
      (event.target instanceof Element && event.target.closest(OWN_KEYS))
    )
      return;
    event.preventDefault(); // else a focused button would be clicked as well
    if (!event.repeat) onKey();
  });
}
