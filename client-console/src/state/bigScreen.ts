import { useEffect, useRef, useState } from 'preact/hooks';

const STEP = 0.05;
/** Smaller text is not legible from far away: then the screen scrolls instead. */
const FIT_MIN = 0.5;

/** Writes everything smaller, until all of it is on the screen. */
function fit(stage: HTMLElement): void {
  for (let share = 1; share >= FIT_MIN; share -= STEP) {
    stage.style.setProperty('--fit', share.toFixed(2));
    if (stage.scrollHeight <= stage.clientHeight + 1) return;
  }
  stage.style.removeProperty('--fit');
}

/** An element that can be shown in full screen. */
export function useBigScreen() {
  const stage = useRef<HTMLDivElement>(null);
  const [big, setBig] = useState(false);
  useEffect(() => {
    const update = () => setBig(document.fullscreenElement !== null && document.fullscreenElement === stage.current);
    document.addEventListener('fullscreenchange', update);
    return () => document.removeEventListener('fullscreenchange', update);
  }, []);
  useEffect(() => {
    const element = stage.current;
    if (!big || !element) return undefined;
    const observer = new ResizeObserver(() => fit(element));
    for (const part of [element, ...element.children]) observer.observe(part);
    return () => {
      observer.disconnect();
      element.style.removeProperty('--fit');
    };
  }, [big]);
  const toggle = () => void (big ? document.exitFullscreen() : stage.current?.requestFullscreen());
  return { stage, big, toggle };
}
