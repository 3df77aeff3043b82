const COUNT_MS = 1_100;
/** Delay until the letter has come out of the envelope, ms. */
const PAUSE_MS = 450;

/**
 * Counts up to an amount ("12.21") in `data-counting`. The text is the true amount from the start, for screen readers.
 */
export function countUp(target: HTMLElement, amount: string, money: (amount: string) => string): void {
  const cents = Math.round(Number(amount) * 100);
  const startMs = performance.now() + PAUSE_MS;
  const show = (nowMs: number) => {
    const progress = Math.min(1, Math.max(0, (nowMs - startMs) / COUNT_MS));
    if (progress === 1 || !target.isConnected || target.textContent !== money(amount))
      return target.removeAttribute('data-counting');
    const eased = 1 - (1 - progress) ** 3;
    target.dataset['counting'] = money((Math.round(cents * eased) / 100).toFixed(2));
    requestAnimationFrame(show);
  };
  show(performance.now());
}
