interface InputListener {
  /** Somebody did anything at all: now the page may be heard. */
  onWake: () => void;
  onPress: (clientX: number, clientY: number) => void;
  onKey: () => void;
  /** -1 left to 1 right: where the pointer is. */
  onLean: (lean: number) => void;
}

/** What has a key or a tap of its own. */
const BUSY = 'a, button:not(.grab), dialog';

/** Thumb, mouse and keyboard. A key taps from anywhere: whoever cannot point need not look for the button. */
export function listenToInput({ onWake, onPress, onKey, onLean }: InputListener): void {
  document.addEventListener('pointerdown', ({ clientX, clientY, target }) => {
    if (target instanceof Element && target.closest('button, a, dialog')) return;
    onPress(clientX, clientY);
  });
  document.addEventListener('pointermove', ({ clientX, pointerType }) => { if (pointerType === 'mouse') onLean(clientX / innerWidth * 2 - 1); }, { passive: true });
  // When a finger is lifted, not when it comes down, a browser takes it for a wish.
  for (const event of ['pointerup', 'keydown'] as const) document.addEventListener(event, onWake);
  document.addEventListener('keydown', (event) => {
    if ((event.key !== ' ' && event.key !== 'Enter') || (event.target instanceof Element && event.target.closest(BUSY))) return;
    event.preventDefault(); // else a focused button would be clicked as well
    if (!event.repeat) onKey();
  });
}
