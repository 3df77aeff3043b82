import type { Refusal } from '../state/request.ts';
import { useLanguage, useWords } from '../words/language.ts';
import { reasonIn } from '../words/refusals.ts';
import { SHARED, type Shared } from '../words/shared.ts';
import { Button } from './button.tsx';

/** The reason of a refusal, with the names of the fields. */
export function Refused({ refusal, again }: { refusal: Refusal | undefined; again?: (() => void) | undefined }) {
  const words = useWords(SHARED);
  const language = useLanguage();
  if (!refusal || refusal.code === 'aborted') return null;
  return (
    <div class="refused-box" role="alert" data-code={refusal.code}>
      {refusal.refusals.length === 0 ? <p>{sentenceOf(refusal, words)}</p>
        : <ul>{refusal.refusals.map(({ field, reason }) => <li key={field + reason}><code>{field}</code> {reasonIn(language, reason)}</li>)}</ul>}
      {again && <Button onClick={again}>{words.again}</Button>}
    </div>
  );
}

function sentenceOf({ code, reason }: Refusal, words: Shared): string {
  switch (code) {
    case 'unreachable': return words.unreachable;
    case 'not_allowed': return words.forbidden;
    case 'too_many': return words.tooMany;
    case 'internal': return words.broken;
    default: return reason;
  }
}
