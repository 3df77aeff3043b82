import type { RainState } from '../state/responses.ts';
import { useWords } from '../words/language.ts';
import { SHARED } from '../words/shared.ts';

export function StateChip({ state, rehearsal = false }: { state: RainState; rehearsal?: boolean | undefined }) {
  const words = useWords(SHARED);
  return (
    <>
      <span class="chip" data-state={state} data-testid="state">{words.states[state]}</span>
      {rehearsal && <span class="chip" data-state="rehearsal">{words.rehearsal}</span>}
    </>
  );
}
