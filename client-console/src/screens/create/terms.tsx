import type { FieldRefusal } from '../../state/responses.ts';
import { describeTerm } from '../../../../src/rain/terms.ts';
import { Field, Toggle } from '../../components/field.tsx';
import { useWords } from '../../words/language.ts';
import { TERM_WORDS } from '../term-words.ts';
import { refusalsFor, termsFor, type Draft } from './draft.ts';

interface PartProps {
  draft: Draft;
  refusals: readonly FieldRefusal[];
  change: (change: Partial<Draft>) => void;
}

/** One field per term: a switch, or a number that may be empty. */
export function TermsPart({ draft, refusals, change }: PartProps) {
  const words = useWords(TERM_WORDS);
  return (
    <>{termsFor(draft).map((name) => {
      const { label, hint } = words[name];
      const typed = draft.terms[name];
      const put = (value: boolean | string) => change({ terms: { ...draft.terms, [name]: value } });
      if (describeTerm(name).kind === 'flag') return <Toggle key={name} label={label} hint={hint} checked={typed === true} onChange={put} />;
      return <Field key={name} label={label} hint={hint} inputMode="numeric" value={typeof typed === 'string' ? typed : ''} onInput={put} refusals={refusalsFor(refusals, `terms.${name}`)} testId={`term-${name}`} />;
    })}</>
  );
}
