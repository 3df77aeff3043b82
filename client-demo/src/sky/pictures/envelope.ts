import { PACKET_HEIGHT, PACKET_WIDTH } from '../shower.ts';
import { mix } from '../../colour.ts';
import { cover, fill, outline, rounded, shade, type Pen } from './pen.ts';
import { holedCoin } from './treasure.ts';

/** A margin keeps the edge smooth when the picture is rotated. */
export const ENVELOPE = { width: PACKET_WIDTH + 4, height: PACKET_HEIGHT + 4 };

const RED = {
  top: '#f4584d',
  bottom: '#c4192a',
  flap: '#d32631',
  flapEdge: '#ffd58a',
  rim: '#ffcf7d',
  pattern: '#ffd58a2e',
  hole: '#c8262c',
};
export const GOLD: Paper = {
  top: '#ffe9a8',
  bottom: '#e0992c',
  flap: '#f3bd55',
  flapEdge: '#fff6d8',
  rim: '#fff3c4',
  pattern: '#b5141f24',
  hole: '#a8121d',
};
type Paper = typeof RED;

/** @param colour `#rrggbb`, of a theme; red by default */
export function paperOf(colour: string | undefined): Paper {
  if (colour === undefined) return RED;
  return {
    ...RED,
    top: mix(colour, '#ffffff', 0.16),
    bottom: mix(colour, '#000000', 0.14),
    flap: colour,
    hole: mix(colour, '#000000', 0.14),
  };
}

/** A packet with its flap closed and a coin for a seal. @param picture of a theme, which covers all of it */
export function drawEnvelope(pen: Pen, paper: Paper, picture?: HTMLImageElement): void {
  const [w, h] = [PACKET_WIDTH, PACKET_HEIGHT];
  const sheet = shade(pen.createLinearGradient(0, -h / 2, 0, h / 2), [
    [0, paper.top],
    [1, paper.bottom],
  ]);
  fill(pen, sheet, () => rounded(pen, -w / 2, -h / 2, w, h, 7));
  pen.save();
  pen.clip();
  if (picture) cover(pen, picture, { x: -w / 2, y: -h / 2, width: w, height: h });
  else drawFlap(pen, paper);
  pen.restore();
  if (!picture) holedCoin(pen, 0, -h * 0.06, 11.5, paper.hole);
  outline(pen, paper.rim, 1.5, () => rounded(pen, -w / 2 + 0.75, -h / 2 + 0.75, w - 1.5, h - 1.5, 6.5));
}

function drawFlap(pen: Pen, paper: Paper): void {
  const [w, h] = [PACKET_WIDTH, PACKET_HEIGHT];
  scales(pen, paper.pattern);
  pen.shadowColor = '#4a00087a';
  pen.shadowBlur = 6;
  pen.shadowOffsetY = 2;
  fill(pen, paper.flap, () => {
    pen.moveTo(-w / 2 - 4, -h / 2 - 4);
    pen.lineTo(w / 2 + 4, -h / 2 - 4);
    pen.lineTo(w / 2 + 4, -h * 0.2);
    pen.quadraticCurveTo(0, h * 0.1, -w / 2 - 4, -h * 0.2);
    pen.closePath();
  });
  pen.shadowColor = 'transparent';
  outline(pen, paper.flapEdge, 1.3);
  // Light from the upper left.
  pen.fillStyle = shade(pen.createLinearGradient(-w / 2, -h / 2, w / 2, h / 2), [
    [0, '#ffffff3d'],
    [0.45, '#ffffff00'],
  ]);
  pen.fillRect(-w / 2, -h / 2, w, h);
}

/** Rows of fish scales, as on old brocade, on the lower half. */
function scales(pen: Pen, colour: string): void {
  for (let row = 0; row < 6; row++) {
    for (let x = -35; x <= 35; x += 14) {
      for (const radius of [6.5, 3.2])
        outline(pen, colour, 1, () => pen.arc(x + (row % 2) * 7, 6 + row * 6.4, radius, Math.PI, 0));
    }
  }
}
