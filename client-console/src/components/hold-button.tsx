import type { ComponentChildren, TargetedPointerEvent } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';

/** Long enough that no slip of a thumb lasts as long. The style sheet fills the ring in the same time. */
const HOLD_MS = 1_000;

interface HoldButtonProps {
  children: ComponentChildren;
  /** Held to the end. */
  onHeld: () => void;
  /** Pressed with a key or by a screen reader, which cannot hold: ask in a dialog. */
  onAsk: () => void;
  /** Begun, and let go too early or not. */
  onHolding: (state: 'holding' | 'slipped' | 'held') => void;
  variant: 'main' | 'danger' | 'plain';
  disabled: boolean;
  describedBy: string;
  testId: string;
}

/** Assistive technology sends a pointer without a size. */
function isVirtual({ width, height, pressure, pointerType }: PointerEvent): boolean {
  return (width === 0 && height === 0) || (width === 1 && height === 1 && pressure === 0 && pointerType === 'mouse');
}

/**
 * A button that acts when a finger has held it for a second. A finger that leaves it, or is taken away by the browser,
 * has not held it.
 */
export function HoldButton({
  children,
  onHeld,
  onAsk,
  onHolding,
  variant,
  disabled,
  describedBy,
  testId,
}: HoldButtonProps) {
  const [holding, setHolding] = useState(false);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const virtual = useRef(false);
  const stop = (state?: 'slipped' | 'held') => {
    if (timer.current === undefined) return;
    clearTimeout(timer.current);
    timer.current = undefined;
    setHolding(false);
    if (state) onHolding(state);
  };
  useEffect(() => () => clearTimeout(timer.current), []);
  useEffect(() => {
    if (disabled) stop('slipped');
  }, [disabled]);
  const begin = (event: TargetedPointerEvent<HTMLButtonElement>) => {
    virtual.current = isVirtual(event);
    if (disabled || virtual.current || !event.isPrimary || event.button !== 0) return;
    stop();
    setHolding(true);
    onHolding('holding');
    timer.current = setTimeout(() => {
      stop('held');
      onHeld();
    }, HOLD_MS);
  };
  // A finger keeps its button as target wherever it moves.
  const follow = ({ clientX, clientY, currentTarget }: TargetedPointerEvent<HTMLButtonElement>) => {
    const { left, right, top, bottom } = currentTarget.getBoundingClientRect();
    if (clientX < left || clientX > right || clientY < top || clientY > bottom) stop('slipped');
  };
  return (
    <button
      type="button"
      class={`hold ${variant}`}
      data-holding={holding}
      data-testid={testId}
      aria-disabled={disabled}
      aria-describedby={describedBy}
      onPointerDown={begin}
      onPointerMove={follow}
      onPointerUp={() => stop('slipped')}
      onPointerCancel={() => stop('slipped')}
      onPointerLeave={() => stop('slipped')}
      onContextMenu={(event) => event.preventDefault()}
      onClick={(event) => {
        if (!disabled && (event.detail === 0 || virtual.current)) onAsk();
      }}
    >
      <svg class="ring" viewBox="0 0 36 36" aria-hidden="true">
        <circle cx="18" cy="18" r="15" />
        <circle class="filled" cx="18" cy="18" r="15" pathLength="100" />
      </svg>
      <span>{children}</span>
    </button>
  );
}
