const COUNT_MS = 1_100;
/** The letter has to come out of the envelope first. */
const PAUSE_MS = 450;

/**
 * Lets an amount count up to what it is, for the eye alone: the element holds the true amount from the first moment on, for
 * screen readers and whoever looks closely, and what is seen meanwhile stands in `data-counting`.
 * @param amount "12.21"
 */
export function countUp(target: HTMLElement, amount: string, money: (amount: string) => string): void {
  const cents = Math.round(Number(amount) * 100);
  const startMs = performance.now() + PAUSE_MS;
  const show = (nowMs: number) => {
    const part = Math.min(1, Math.max(0, (nowMs - startMs) / COUNT_MS));
    if (part === 1 || !target.isConnected || target.textContent !== money(amount)) return target.removeAttribute('data-counting');
    const eased = 1 - (1 - part) ** 3;
    target.dataset['counting'] = money((Math.round(cents * eased) / 100).toFixed(2));
    requestAnimationFrame(show);
  };
  show(performance.now());
}
