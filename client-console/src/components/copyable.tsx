import { useState } from 'preact/hooks';
import { useLanguage } from '../words/language.ts';
import { Button } from './button.tsx';

/** A long text with a copy button. */
export function Copyable({ text, testId }: { text: string; testId?: string }) {
  const { shared } = useLanguage();
  const [copied, setCopied] = useState(false);
  return (
    <span class="copyable">
      <code data-testid={testId}>{text}</code>
      <Button variant="quiet" onClick={() => void navigator.clipboard?.writeText(text).then(() => setCopied(true))}>
        {copied ? shared.copied : shared.copy}
      </Button>
    </span>
  );
}
