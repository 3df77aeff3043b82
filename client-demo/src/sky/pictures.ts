import { PICTURES, type Picture } from './mark.ts';
import { drawEnvelope, ENVELOPE, GOLD, paperOf } from './pictures/envelope.ts';
import { drawKoi } from './pictures/koi.ts';
import { drawLantern } from './pictures/lantern.ts';
import { drawCoin, drawIngot } from './pictures/treasure.ts';
import type { Pen } from './pictures/pen.ts';
import { drawGlow, drawPetal, drawSpark } from './pictures/light.ts';

/** How a theme shows packets. `colour`: `#rrggbb` */
export interface PacketLook {
  colour?: string;
  picture?: HTMLImageElement;
}

/** The size of each picture in CSS pixels; it is drawn with the origin in the middle. */
const DRAWINGS: Record<Picture, { width: number; height: number; draw: (pen: Pen, look: PacketLook) => void }> = {
  envelope: { ...ENVELOPE, draw: (pen, { colour, picture }) => drawEnvelope(pen, paperOf(colour), picture) },
  gold: { ...ENVELOPE, draw: (pen, { picture }) => drawEnvelope(pen, GOLD, picture) },
  koi: { width: 64, height: 92, draw: drawKoi },
  lantern: { width: 72, height: 104, draw: drawLantern },
  ingot: { width: 76, height: 62, draw: drawIngot },
  coin: { width: 26, height: 26, draw: drawCoin },
  glow: { width: 150, height: 150, draw: drawGlow },
  spark: { width: 20, height: 20, draw: drawSpark },
  petal: { width: 16, height: 16, draw: drawPetal },
};

/**
 * Draws each picture once. The animation only copies them: what a frame costs is printed by
 * test/browser/slowPhone.long.test.ts.
 */
export function drawPictures(ratio: number, look: PacketLook): Record<Picture, HTMLCanvasElement> {
  return Object.fromEntries(
    PICTURES.map((picture) => {
      const { width, height, draw } = DRAWINGS[picture];
      const canvas = document.createElement('canvas');
      canvas.width = Math.ceil(width * ratio);
      canvas.height = Math.ceil(height * ratio);
      const pen = canvas.getContext('2d')!;
      pen.setTransform(ratio, 0, 0, ratio, canvas.width / 2, canvas.height / 2);
      draw(pen, look);
      return [picture, canvas];
    }),
  ) as Record<Picture, HTMLCanvasElement>;
}
