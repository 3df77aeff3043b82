import type { RainState } from '../state/responses.ts';
import { useLanguage } from '../words/language.ts';

export function StateChip({ state, rehearsal = false }: { state: RainState; rehearsal?: boolean | undefined }) {
  const { shared } = useLanguage();
  return (
    <>
      <span class="chip" data-state={state} data-testid="state">{shared.states[state]}</span>
      {rehearsal && <span class="chip" data-state="rehearsal">{shared.rehearsal}</span>}
    </>
  );
}
