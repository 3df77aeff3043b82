import { useWords } from '../../words/language.ts';
import type { PartProps } from '../create/draft.ts';
import { GreetingFields } from './fields.tsx';
import { WORDS } from './words.ts';

/** The greeting in the form of a new rain. */
export function GreetingPart({ draft, refusals, change }: PartProps) {
  const { words } = useWords(WORDS);
  return (
    <fieldset class="card">
      <legend>{words.title}</legend>
      <p class="hint">{draft.terms.invitedOnly ? words.invited : words.told}</p>
      <GreetingFields
        typed={draft.greeting}
        refusals={refusals}
        change={(changed) => change({ greeting: { ...draft.greeting, ...changed } })}
      />
    </fieldset>
  );
}
