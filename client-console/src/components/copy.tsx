import { useState } from 'preact/hooks';
import { useWords } from '../words/language.ts';
import { SHARED } from '../words/shared.ts';
import { Button } from './button.tsx';

/** A long text with a copy button. */
export function Copyable({ text, testId }: { text: string; testId?: string }) {
  const words = useWords(SHARED);
  const [copied, setCopied] = useState(false);
  return (
    <span class="copyable">
      <code data-testid={testId}>{text}</code>
      <Button variant="quiet" onClick={() => void navigator.clipboard?.writeText(text).then(() => setCopied(true))}>{copied ? words.copied : words.copy}</Button>
    </span>
  );
}
