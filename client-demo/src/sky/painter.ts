import type { Mark, Picture } from './mark.ts';
import { drawPictures, type PacketLook } from './pictures.ts';

/** Pictures that are drawn as additive light. */
const SHINING: readonly Picture[] = ['glow', 'spark'];

/** Draws marks on its own 2D canvas. @param onBlank called when the canvas has lost its content */
export function openPainter(onBlank: () => void) {
  const canvas = document.createElement('canvas');
  const pen = canvas.getContext('2d')!;
  // A ratio above 2 costs time and makes no visible difference.
  const ratio = Math.min(devicePixelRatio || 1, 2);
  let look: PacketLook = {};
  let pictures = drawPictures(ratio, look);
  const redraw = () => {
    pictures = drawPictures(ratio, look);
    onBlank();
  };
  // A lost graphics context also loses the cached pictures.
  canvas.addEventListener('contextrestored', redraw);
  return {
    canvas,
    setLook(next: PacketLook): void {
      look = next;
      redraw();
    },
    fit(width: number, height: number): void {
      canvas.width = Math.round(width * ratio);
      canvas.height = Math.round(height * ratio);
    },
    /** Draws in this order: the first mark is at the back. */
    paint(marks: readonly Mark[]): void {
      pen.setTransform(1, 0, 0, 1, 0, 0);
      pen.clearRect(0, 0, canvas.width, canvas.height);
      for (const { picture, x, y, scaleX, scaleY, turn, alpha } of marks) {
        const sprite = pictures[picture];
        const [cos, sin] = [Math.cos(turn), Math.sin(turn)];
        // The sprite already has the canvas's resolution: only its position is scaled.
        pen.setTransform(cos * scaleX, sin * scaleX, -sin * scaleY, cos * scaleY, x * ratio, y * ratio);
        pen.globalAlpha = alpha;
        pen.globalCompositeOperation = SHINING.includes(picture) ? 'lighter' : 'source-over';
        pen.drawImage(sprite, -sprite.width / 2, -sprite.height / 2);
      }
    },
  };
}
