/** Parts of the height over which things come out from under the words and vanish before the button; at most so many pixels. */
const TOP = { clearPart: 0.16, clearPx: 95, fadePart: 0.1, fadePx: 60 };
const BOTTOM = { clearPart: 0.06, clearPx: 36, fadePart: 0.1, fadePx: 60 };

/**
 * How visible something is at this height, 0 to 1: nothing readable has a packet behind it. Said of each picture by itself, which
 * costs nothing, where a mask over the whole sky would be paid for with every frame.
 * @param wordy whether there are words at the top
 */
export function veil(y: number, height: number, wordy: boolean): number {
  const clear = wordy ? Math.min(TOP.clearPx, height * TOP.clearPart) : 0;
  const down = (y - clear) / Math.min(TOP.fadePx, height * TOP.fadePart);
  const up = (height - Math.min(BOTTOM.clearPx, height * BOTTOM.clearPart) - y) / Math.min(BOTTOM.fadePx, height * BOTTOM.fadePart);
  return Math.max(0, Math.min(1, down, up));
}
