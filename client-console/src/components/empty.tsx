import type { ComponentChildren } from 'preact';
import type { RequestState } from '../state/useRequest.ts';
import { useWords } from '../words/language.ts';
import { SHARED } from '../words/shared.ts';
import { Refused } from './refused.tsx';

/** Explains an empty list and how to fill it. `whole`: nothing else is on the screen. */
export function Empty({ title, children, calm = false, whole = false }: { title: string; children?: ComponentChildren; calm?: boolean; whole?: boolean }) {
  return (
    <div class="empty">
      <svg class={calm ? 'envelope calm' : 'envelope'} viewBox="0 0 32 32" aria-hidden="true"><rect x="6" y="2" width="20" height="28" rx="3" /><path d="M6 5v6q10 7 20 0V5a3 3 0 0 0-3-3H9a3 3 0 0 0-3 3z" /><circle cx="16" cy="15" r="4.5" /></svg>
      {whole ? <h1>{title}</h1> : <h2>{title}</h2>}
      {children}
    </div>
  );
}

/** The requested value, a loading text, or the refusal. */
export function Awaited<T>({ request, children }: { request: RequestState<T>; children: (value: T) => ComponentChildren }) {
  const words = useWords(SHARED);
  return (
    <>
      <Refused refusal={request.refusal} again={request.again} />
      {request.waiting && <p class="awaited" role="status">{words.loading}</p>}
      {request.value !== undefined && children(request.value)}
    </>
  );
}
