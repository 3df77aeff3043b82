import { useEffect, useState } from 'preact/hooks';
import { ApiClient } from '../../state/request.ts';

/** A console looks for new files of themes once a second, so what was sent just now may not be found yet. */
const AGAIN_MS = 1_000;
const TRIES_MAX = 5;

/** The address of a picture of a theme, as soon as the picture is there. */
export function usePicture(url: string | undefined): string | undefined {
  const [loaded, setLoaded] = useState<string>();
  useEffect(() => {
    setLoaded(undefined);
    if (url === undefined) return undefined;
    const picture = new Image();
    let tries = 0;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const load = () => {
      tries += 1;
      // A browser would not ask for the same address again.
      picture.src = ApiClient.fileAddress(url) + (tries > 1 ? `?try=${tries}` : '');
    };
    picture.onload = () => setLoaded(picture.src);
    picture.onerror = () => {
      if (tries < TRIES_MAX) timer = setTimeout(load, AGAIN_MS);
    };
    load();
    return () => {
      clearTimeout(timer);
      picture.onload = null;
      picture.onerror = null;
    };
  }, [url]);
  return loaded;
}
