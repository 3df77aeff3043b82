import { useEffect, useRef, useState } from 'preact/hooks';

/** An element that can be shown in full screen. */
export function useBigScreen() {
  const stage = useRef<HTMLDivElement>(null);
  const [big, setBig] = useState(false);
  useEffect(() => {
    const update = () => setBig(document.fullscreenElement !== null && document.fullscreenElement === stage.current);
    document.addEventListener('fullscreenchange', update);
    return () => document.removeEventListener('fullscreenchange', update);
  }, []);
  const toggle = () => void (big ? document.exitFullscreen() : stage.current?.requestFullscreen());
  return { stage, big, toggle };
}
