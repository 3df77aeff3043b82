import type { ComponentChildren } from 'preact';

/** A table that may be wider than the screen. It then scrolls by touch or with the arrow keys. */
export function Table({ label, children }: { label: string; children: ComponentChildren }) {
  return <div class="table" role="region" aria-label={label} tabIndex={0}><table>{children}</table></div>;
}
