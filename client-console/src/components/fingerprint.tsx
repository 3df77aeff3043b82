import { useState } from 'preact/hooks';
import { shortened } from '../../../src/rain/actionDetails.ts';
import { useLanguage } from '../words/language.ts';
import { Button } from './button.tsx';

/**
 * A commitment, a seed or a hash: its first digits, and a button that copies all of them. Where the browser does not
 * let it copy, all are shown.
 */
export function Fingerprint({ text, label }: { text: string; label: string }) {
  const { shared } = useLanguage();
  const [state, setState] = useState<'short' | 'copied' | 'whole'>('short');
  const copy = async () => {
    try {
      // Absent where the page came without TLS.
      await navigator.clipboard.writeText(text);
      setState('copied');
    } catch {
      setState('whole');
    }
  };
  return (
    <span class="fingerprint">
      <code title={text}>{state === 'whole' ? text : shortened(text)}</code>
      {state !== 'whole' && (
        <Button variant="quiet" label={`${shared.copy}: ${label}`} testId="copy-whole" onClick={() => void copy()}>
          {state === 'copied' ? shared.copied : shared.copy}
        </Button>
      )}
    </span>
  );
}
