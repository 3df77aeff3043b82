import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';
import type { Answer } from '../state/request.ts';
import type { Verb } from '../state/useApi.ts';
import { useLanguage } from '../words/language.ts';
import { Button } from './button.tsx';
import { Refused } from './awaited.tsx';

interface DialogProps<T> {
  title: string;
  children?: ComponentChildren;
  /** Label of the confirm button. */
  act: string;
  variant?: 'main' | 'danger';
  verb: Verb;
  /** The request. The dialog closes when it is answered, and shows the refusal otherwise. */
  onAct: () => Promise<Answer<T>>;
  /** Whether there is more to read or to do after this answer; default: no. */
  staysOpen?: (done: T) => boolean;
  onClose: () => void;
  disabled?: boolean;
  /** Fields of this dialog, beside which their refusals stand. */
  fields?: readonly string[];
  /** Nothing is left to do, only to read: the one button closes. */
  over?: boolean;
}

/** Asks for confirmation before an action. The browser keeps the focus inside, and Escape closes it. */
export function Dialog<T>({
  title,
  children,
  act,
  variant = 'main',
  verb,
  onAct,
  staysOpen = () => false,
  onClose,
  disabled = false,
  fields = [],
  over = false,
}: DialogProps<T>) {
  const { shared } = useLanguage();
  const id = useId();
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog
      ref={dialog}
      class="dialog"
      aria-labelledby={id}
      onClose={onClose}
      onCancel={(event) => {
        if (verb.pending) event.preventDefault();
      }}
    >
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (over) dialog.current?.close();
          else if (!disabled)
            void verb.run(onAct).then((answered) => {
              if (answered && !staysOpen(answered.done)) onClose();
            });
        }}
      >
        <h2 id={id}>{title}</h2>
        <div class="told">{children}</div>
        <Refused refusal={verb.refusal} beside={fields} />
        <div class="acts">
          {!over && (
            <Button onClick={() => dialog.current?.close()} disabled={verb.pending}>
              {shared.cancel}
            </Button>
          )}
          <Button
            type="submit"
            variant={variant}
            pending={verb.pending}
            disabled={disabled || verb.refusal?.code === 'needs_approval'}
            testId="act"
          >
            {over ? shared.close : act}
          </Button>
        </div>
      </form>
    </dialog>
  );
}
