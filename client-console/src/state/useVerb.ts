import { useCallback, useRef, useState } from 'preact/hooks';
import type { Answer, Refusal } from './request.ts';

export interface Verb {
  /** True from the click until the console has answered. */
  pending: boolean;
  refusal: Refusal | undefined;
  /** A second click while the first is pending does nothing. @returns the answer's value, or undefined when it was refused */
  run: <T>(verb: () => Promise<Answer<T>>) => Promise<{ done: T } | undefined>;
  forget: () => void;
}

export function useVerb(): Verb {
  const [pending, setPending] = useState(false);
  const [refusal, setRefusal] = useState<Refusal>();
  const busy = useRef(false);
  const run = useCallback(async <T>(verb: () => Promise<Answer<T>>) => {
    if (busy.current) return undefined;
    busy.current = true;
    setPending(true);
    setRefusal(undefined);
    try {
      const answer = await verb();
      if (answer.ok) return { done: answer.value };
      setRefusal(answer.refusal);
      return undefined;
    } finally {
      busy.current = false;
      setPending(false);
    }
  }, []);
  return { pending, refusal, run, forget: useCallback(() => setRefusal(undefined), []) };
}
