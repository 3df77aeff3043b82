import { useState } from 'preact/hooks';
import type { Refusal } from '../../state/request.ts';
import { useApp } from '../../state/useApi.ts';
import { Field } from '../../components/field.tsx';
import { useWords } from '../../words/language.ts';
import { WORDS } from './words.ts';

/** The present password, and a code where the operator has one-time codes: an open browser alone changes neither. */
export function useProof() {
  const { words } = useWords(WORDS);
  const { session } = useApp();
  const [password, setPassword] = useState('');
  const [code, setCode] = useState('');
  return {
    given: { password, ...(session.totp === 'on' && { code }) },
    forget: () => {
      setPassword('');
      setCode('');
    },
    fields: (
      <>
        <Field
          label={words.current}
          value={password}
          onInput={setPassword}
          type="password"
          autocomplete="current-password"
          required
          testId="current-password"
        />
        {session.totp === 'on' && (
          <Field
            label={words.code}
            value={code}
            onInput={setCode}
            hint={words.codeHint}
            autocomplete="one-time-code"
            required
            testId="current-code"
          />
        )}
      </>
    ),
    /** The refusal in the page's own words. */
    shown: (refusal: Refusal | undefined): Refusal | undefined => {
      const sentences: Partial<Record<string, string>> = {
        wrong_password: words.wrongPassword,
        wrong_code: words.wrongCode,
        code_needed: words.codeNeeded,
      };
      return refusal && { ...refusal, reason: sentences[refusal.code] ?? refusal.reason };
    },
  };
}
