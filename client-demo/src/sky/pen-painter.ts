import type { Picture } from './mark.ts';
import { pixelRatio, type Painter } from './painter.ts';
import { drawPictures } from './pictures.ts';

/** Light that is added to what is behind it. */
const SHINING: readonly Picture[] = ['glow', 'spark'];

/** The browser's own 2D canvas: there at once, and all there is where the renderer cannot be loaded. */
export function openPenPainter(): Painter {
  const canvas = document.createElement('canvas');
  const pen = canvas.getContext('2d')!;
  const ratio = pixelRatio();
  const pictures = drawPictures(ratio);
  return {
    name: 'pen',
    canvas,
    fit(width, height) {
      canvas.width = Math.round(width * ratio);
      canvas.height = Math.round(height * ratio);
    },
    paint(marks) {
      pen.setTransform(1, 0, 0, 1, 0, 0);
      pen.clearRect(0, 0, canvas.width, canvas.height);
      for (const { picture, x, y, scaleX, scaleY, turn, alpha } of marks) {
        const sprite = pictures[picture];
        const [cos, sin] = [Math.cos(turn), Math.sin(turn)];
        // The sprite has as many pixels as the canvas already: only its place is scaled.
        pen.setTransform(cos * scaleX, sin * scaleX, -sin * scaleY, cos * scaleY, x * ratio, y * ratio);
        pen.globalAlpha = alpha;
        pen.globalCompositeOperation = SHINING.includes(picture) ? 'lighter' : 'source-over';
        pen.drawImage(sprite, -sprite.width / 2, -sprite.height / 2);
      }
    },
    end: () => canvas.remove(),
  };
}
