import { element } from '../page.ts';

const STEP = 0.05;
/** Smaller text is not legible from far away. */
const FIT_MIN = 0.4;

/** Long names and many items are written smaller, until all of it is on the screen. */
export function keepFitting(): () => void {
  const [page, top, middle] = [element('.hall'), element('.top'), element('.middle')];
  const overflows = () =>
    heightOf(middle) > middle.clientHeight + 1 || [top, middle].some((part) => part.scrollWidth > part.clientWidth + 1);
  const fit = () => {
    for (let share = 1; share >= FIT_MIN; share -= STEP) {
      page.style.setProperty('--fit', share.toFixed(2));
      if (!overflows()) return;
    }
  };
  const observer = new ResizeObserver(fit);
  for (const part of [page, top, element('.bottom')]) observer.observe(part);
  return fit;
}

/** The height of the content, with its padding: `scrollHeight` leaves the padding below out. */
function heightOf(box: HTMLElement): number {
  const shown = [...box.children].map((child) => child.getBoundingClientRect()).filter(({ height }) => height > 0);
  const { paddingTop, paddingBottom } = getComputedStyle(box);
  return (
    Math.max(0, ...shown.map(({ bottom }) => bottom)) -
    Math.min(...shown.map(({ top }) => top)) +
    Number.parseFloat(paddingTop) +
    Number.parseFloat(paddingBottom)
  );
}
