import { useState } from 'preact/hooks';
import type { TotpConfirmed, TotpSetup } from '../../state/responses.ts';
import { useApp, useVerb } from '../../state/useApi.ts';
import { Refused } from '../../components/awaited.tsx';
import { Button } from '../../components/button.tsx';
import { Field } from '../../components/field.tsx';
import { useWords } from '../../words/language.ts';
import { refusalsFor } from '../create/draft.ts';
import { useProof } from './proof.tsx';
import { WORDS } from './words.ts';

/** One-time codes: begun with the password, confirmed with the first code; then the recovery codes are shown, once. */
export function Totp({ onDone }: { onDone: () => void }) {
  const { words } = useWords(WORDS);
  const { session, onSession } = useApp();
  const [setup, setSetup] = useState<TotpSetup>();
  const [codes, setCodes] = useState<readonly string[]>();
  const confirmed = (done: TotpConfirmed) => {
    setSetup(undefined);
    setCodes(done.recoveryCodes);
    onSession(done.session);
    onDone();
  };
  return (
    <section class="card account" data-testid="totp">
      <h2>{words.totp}</h2>
      <p>
        {session.totp === 'on' ? words.totpOn : words.totpOff} {session.totp === 'needed' && words.totpNeeded}
      </p>
      {codes && (
        <>
          <h3>{words.recovery}</h3>
          <p>{words.recoveryTold}</p>
          <ul data-testid="recovery-codes">
            {codes.map((code) => (
              <li key={code}>
                <code>{code}</code>
              </li>
            ))}
          </ul>
        </>
      )}
      {setup ? (
        <Confirm setup={setup} onConfirmed={confirmed} />
      ) : (
        <Begin
          onBegun={(begun) => {
            setCodes(undefined);
            setSetup(begun);
          }}
        />
      )}
    </section>
  );
}

function Begin({ onBegun }: { onBegun: (setup: TotpSetup) => void }) {
  const { words } = useWords(WORDS);
  const { api, session } = useApp();
  const verb = useVerb();
  const proof = useProof();
  const begin = async () => {
    const done = await verb.run(() => api.post<TotpSetup>('session/totp', proof.given));
    proof.forget();
    if (done) onBegun(done.done);
  };
  return (
    <form
      class="account"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        void begin();
      }}
    >
      {proof.fields}
      <Button type="submit" pending={verb.pending} testId="begin-totp">
        {session.totp === 'on' ? words.renew : words.begin}
      </Button>
      <Refused refusal={proof.shown(verb.refusal)} />
    </form>
  );
}

function Confirm({
  setup: { secret, uri, setup },
  onConfirmed,
}: {
  setup: TotpSetup;
  onConfirmed: (done: TotpConfirmed) => void;
}) {
  const { words } = useWords(WORDS);
  const { api } = useApp();
  const verb = useVerb();
  const [code, setCode] = useState('');
  const confirm = async () => {
    const done = await verb.run(() => api.send<TotpConfirmed>('PUT', 'session/totp', { setup, code }));
    if (done) onConfirmed(done.done);
  };
  return (
    <form
      class="account"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        void confirm();
      }}
    >
      <p>{words.letters}</p>
      <p>
        <code data-testid="totp-secret">{secret.match(/.{1,4}/g)?.join(' ')}</code> · <a href={uri}>{words.link}</a>
      </p>
      <Field
        label={words.first}
        value={code}
        onInput={setCode}
        inputMode="numeric"
        autocomplete="one-time-code"
        refusals={refusalsFor(verb.refusals, 'code')}
        required
        testId="first-code"
      />
      <Button type="submit" variant="main" pending={verb.pending} testId="confirm-totp">
        {words.confirm}
      </Button>
      {refusalsFor(verb.refusals, 'code').length === 0 && <Refused refusal={verb.refusal} />}
    </form>
  );
}
