import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';
import type { Verb } from '../state/useVerb.ts';
import { useWords } from '../words/language.ts';
import { SHARED } from '../words/shared.ts';
import { Button } from './button.tsx';
import { Refused } from './refused.tsx';

interface DialogProps {
  title: string;
  children?: ComponentChildren;
  /** Label of the confirm button. */
  act: string;
  variant?: 'main' | 'danger';
  verb: Verb;
  onAct: () => void;
  onClose: () => void;
  disabled?: boolean;
}

/** Asks for confirmation before an action. The browser keeps the focus inside, and Escape closes it. */
export function Dialog({ title, children, act, variant = 'main', verb, onAct, onClose, disabled = false }: DialogProps) {
  const words = useWords(SHARED);
  const id = useId();
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog ref={dialog} class="dialog" aria-labelledby={id} onClose={onClose} onCancel={(event) => { if (verb.pending) event.preventDefault(); }}>
      <form onSubmit={(event) => {
        event.preventDefault();
        if (!disabled) onAct();
      }}>
        <h2 id={id}>{title}</h2>
        <div class="told">{children}</div>
        <Refused refusal={verb.refusal} />
        <div class="acts">
          <Button onClick={() => dialog.current?.close()} disabled={verb.pending}>{words.cancel}</Button>
          <Button type="submit" variant={variant} pending={verb.pending} disabled={disabled} testId="act">{act}</Button>
        </div>
      </form>
    </dialog>
  );
}
