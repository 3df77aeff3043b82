import type { Mark, Picture } from './mark.ts';
import { drawPictures } from './pictures.ts';

/** Light that is added to what is behind it. */
const SHINING: readonly Picture[] = ['glow', 'spark'];

/** Puts marks on a canvas of its own; knows nothing of what they mean. */
export interface Painter {
  readonly canvas: HTMLCanvasElement;
  /** Width and height in CSS pixels. */
  fit(width: number, height: number): void;
  /** In this order: what comes first is behind. */
  paint(marks: readonly Mark[]): void;
}

/** The browser's own 2D canvas: a few hundred small pictures a frame are little work for it, on a graphics card and without one. @param onBlank what was painted is gone */
export function openPainter(onBlank: () => void): Painter {
  const canvas = document.createElement('canvas');
  const pen = canvas.getContext('2d')!;
  const ratio = pixelRatio();
  let pictures = drawPictures(ratio);
  // A graphics card that went away took the pictures with it.
  canvas.addEventListener('contextrestored', () => {
    pictures = drawPictures(ratio);
    onBlank();
  });
  return {
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
  };
}

/** A third pixel in each direction is not seen, only paid for. */
function pixelRatio(): number {
  return Math.min(devicePixelRatio || 1, 2);
}
