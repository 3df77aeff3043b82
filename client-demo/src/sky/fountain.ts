import { Bursts } from './burst.ts';
import { openPainter } from './painter.ts';

/** Limits one step, so that nothing jumps after the page was in the background. */
const STEP_MS_MAX = 100;

/** Coins fly over a part of the page, as over a packet that is won, and are gone. Not where motion disturbs. */
export function celebrateOver(host: HTMLElement, random: () => number): void {
  if (matchMedia('(prefers-reduced-motion: reduce)').matches) return;
  const bursts = new Bursts(random);
  const { canvas, fit, paint } = openPainter(() => {});
  canvas.className = 'fountain';
  canvas.setAttribute('aria-hidden', 'true');
  host.prepend(canvas);
  const { width, height } = canvas.getBoundingClientRect();
  fit(width, height);
  bursts.fountain(width / 2, height * 0.55);
  let lastMs = performance.now();
  requestAnimationFrame(function frame(nowMs) {
    bursts.move(Math.min(Math.max(0, nowMs - lastMs), STEP_MS_MAX));
    lastMs = nowMs;
    if (!bursts.busy) return canvas.remove();
    paint(bursts.marks());
    requestAnimationFrame(frame);
  });
}
