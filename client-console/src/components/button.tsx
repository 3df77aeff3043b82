import type { ComponentChildren, TargetedMouseEvent } from 'preact';
import { useLanguage } from '../words/language.ts';

interface ButtonProps {
  children: ComponentChildren;
  onClick?: () => void;
  /** `main`: the main action; `danger`: cannot be undone; `quiet`: less prominent. */
  variant?: 'main' | 'danger' | 'quiet' | 'plain';
  pending?: boolean;
  disabled?: boolean;
  type?: 'button' | 'submit';
  label?: string;
  testId?: string;
}

/** A pending button shows a spinner, ignores clicks and keeps the focus. */
export function Button({
  children,
  onClick,
  variant = 'plain',
  pending = false,
  disabled = false,
  type = 'button',
  label,
  testId,
}: ButtonProps) {
  const { shared } = useLanguage();
  const click = (event: TargetedMouseEvent<HTMLButtonElement>) => {
    if (pending || disabled) event.preventDefault();
    else onClick?.();
  };
  return (
    <button
      type={type}
      class={`button ${variant}`}
      aria-disabled={pending || disabled}
      aria-busy={pending}
      aria-label={label}
      data-testid={testId}
      onClick={click}
    >
      {pending && <span class="spinner" aria-hidden="true" />}
      <span>{children}</span>
      {pending && <span class="unseen">{shared.wait}</span>}
    </button>
  );
}
