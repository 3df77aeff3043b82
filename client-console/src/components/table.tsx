import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';

interface TableProps {
  label: string;
  /** On a phone each row becomes a block, and each cell a line of it with the name of its column. */
  stacks?: boolean;
  /** Names break between words only, in columns that are wide enough for them. */
  wraps?: boolean;
  children: ComponentChildren;
}

/** A table that may be wider than the screen. It then scrolls by touch or with the arrow keys, unless it stacks. */
export function Table({ label, stacks = false, wraps = false, children }: TableProps) {
  const region = useRef<HTMLDivElement>(null);
  // After every render: the style sheet shows the name of a column from its cells.
  useLayoutEffect(() => {
    if (stacks) nameCells(region.current!.querySelector('table')!);
  });
  return (
    <div
      ref={region}
      class={`table${stacks ? ' stacks' : ''}${wraps ? ' wraps' : ''}`}
      role="region"
      aria-label={label}
      tabIndex={0}
    >
      <table>{children}</table>
    </div>
  );
}

/** A column of buttons needs no name on a phone either: its heading is there for screen readers only. */
function nameCells({ tHead, tBodies }: HTMLTableElement): void {
  const names = [...(tHead?.rows[0]?.cells ?? [])].map((cell) =>
    cell.querySelector('.unseen') ? '' : cell.textContent,
  );
  for (const { rows } of tBodies)
    for (const { cells } of rows)
      [...cells].forEach((cell, i) => {
        cell.dataset['column'] = names[i] ?? '';
      });
}
