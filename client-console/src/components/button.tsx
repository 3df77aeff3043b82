import type { ComponentChildren, TargetedMouseEvent } from 'preact';
import { SHARED } from '../words/shared.ts';
import { useWords } from '../words/language.ts';

interface ButtonProps {
  children: ComponentChildren;
  onClick?: () => void;
  /** `main`: the one thing to do here; `danger`: it cannot be undone; `quiet`: beside the others. */
  look?: 'main' | 'danger' | 'quiet' | 'plain';
  pending?: boolean;
  disabled?: boolean;
  type?: 'button' | 'submit';
  label?: string;
  testId?: string;
  pressed?: boolean;
}

/** A button that is pending says so and takes no second click, and keeps the focus all the while. */
export function Button({ children, onClick, look = 'plain', pending = false, disabled = false, type = 'button', label, testId, pressed }: ButtonProps) {
  const words = useWords(SHARED);
  const click = (event: TargetedMouseEvent<HTMLButtonElement>) => {
    if (pending || disabled) event.preventDefault();
    else onClick?.();
  };
  return (
    <button type={type} class={`button ${look}`} aria-disabled={pending || disabled} aria-busy={pending} aria-label={label} aria-pressed={pressed} data-testid={testId} onClick={click}>
      {pending && <span class="spinner" aria-hidden="true" />}
      <span>{children}</span>
      {pending && <span class="unseen">{words.wait}</span>}
    </button>
  );
}
