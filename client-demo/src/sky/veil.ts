/** Clear and fading zones at the text (top) and the button (bottom): fractions of the height, and maxima in pixels. */
const TOP = { clearPart: 0.16, clearPx: 95, fadePart: 0.1, fadePx: 60 };
const BOTTOM = { clearPart: 0.06, clearPx: 36, fadePart: 0.1, fadePx: 60 };

/**
 * Opacity at this height: no packet is behind text. Per picture, because a mask over the sky would cost time in every
 * frame.
 */
export function veil(y: number, height: number, hasText: boolean): number {
  const clear = hasText ? Math.min(TOP.clearPx, height * TOP.clearPart) : 0;
  const down = (y - clear) / Math.min(TOP.fadePx, height * TOP.fadePart);
  const up =
    (height - Math.min(BOTTOM.clearPx, height * BOTTOM.clearPart) - y) /
    Math.min(BOTTOM.fadePx, height * BOTTOM.fadePart);
  return Math.max(0, Math.min(1, down, up));
}
