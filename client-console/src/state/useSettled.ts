import { useEffect, useState } from 'preact/hooks';

const TYPING_MS = 300;

/** The typed value, as soon as nobody has typed for a moment. */
export function useSettled<T>(typed: T): T {
  const [settled, setSettled] = useState(typed);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(typed), TYPING_MS);
    return () => clearTimeout(timer);
  }, [typed]);
  return settled;
}
