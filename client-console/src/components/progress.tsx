/** A progress bar; its ARIA role reports the value to screen readers. */
export function Progress({ value, most, label }: { value: number; most: number; label: string }) {
  const share = most > 0 ? Math.min(1, Math.max(0, value / most)) : 0;
  return (
    <span class="progress" role="progressbar" aria-label={label} aria-valuemin={0} aria-valuemax={most} aria-valuenow={value}>
      <span style={{ width: `${share * 100}%` }} />
    </span>
  );
}
