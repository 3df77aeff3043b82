import { useState } from 'preact/hooks';
import type { Session } from '../../state/responses.ts';
import { useApp, useVerb } from '../../state/useApi.ts';
import { Refused } from '../../components/awaited.tsx';
import { Button } from '../../components/button.tsx';
import { Field } from '../../components/field.tsx';
import { useWords } from '../../words/language.ts';
import { refusalsFor } from '../create/draft.ts';
import { useProof } from './proof.tsx';
import { WORDS } from './words.ts';

export function PasswordForm({ onDone }: { onDone: () => void }) {
  const { words } = useWords(WORDS);
  const { api, onSession } = useApp();
  const verb = useVerb();
  const proof = useProof();
  const [next, setNext] = useState('');
  const [again, setAgain] = useState('');
  const [changed, setChanged] = useState(false);
  const differ = again !== '' && again !== next;
  const change = async () => {
    const done = await verb.run(() =>
      api.send<Session>('PUT', 'session/password', { ...proof.given, newPassword: next }),
    );
    setChanged(done !== undefined);
    if (!done) return;
    proof.forget();
    setNext('');
    setAgain('');
    onSession(done.done);
    onDone();
  };
  return (
    <form
      class="card account"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        if (next === again) void change();
      }}
    >
      <h2>{words.password}</h2>
      {proof.fields}
      <Field
        label={words.next}
        value={next}
        onInput={setNext}
        type="password"
        autocomplete="new-password"
        hint={words.nextHint}
        refusals={refusalsFor(verb.refusals, 'newPassword')}
        required
        testId="new-password"
      />
      <Field
        label={words.repeat}
        value={again}
        onInput={setAgain}
        type="password"
        autocomplete="new-password"
        hint={differ ? words.differ : undefined}
        required
        testId="repeat-password"
      />
      <Button type="submit" pending={verb.pending} disabled={next === '' || next !== again} testId="change-password">
        {words.change}
      </Button>
      {verb.refusals.length === 0 && <Refused refusal={proof.shown(verb.refusal)} />}
      {changed && (
        <p role="status" data-testid="password-changed">
          {words.changed}
        </p>
      )}
    </form>
  );
}
