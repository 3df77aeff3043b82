import { mix } from '../colour.ts';
import { cover, rounded, shade, type Pen } from '../sky/pictures/pen.ts';
import type { Theme } from '../theme.ts';
import { fitted, wrapped } from './lettering.ts';

/** The content of the card. It names no user. */
export interface ShareCard {
  title: string;
  headline: string;
  /** With its currency. */
  amount: string;
  greeting?: string;
  /** The warning of a rehearsal: that it is no real money. */
  warning?: string;
  colours: Theme['colours'];
  logo?: HTMLImageElement;
  packet?: HTMLImageElement;
}

/** A portrait that messengers show whole. */
const [WIDTH, HEIGHT] = [1_080, 1_440];
const MIDDLE = WIDTH / 2;
const LETTER = { x: 190, y: 400, width: 700, height: 700 };
const PACKET = { x: 130, y: 800, width: 820, height: 540 };
const LOOK = { background: '#8f121c', packet: '#c21a28', accent: '#f6c667' };
const [INK, AMOUNT] = ['#5c0a11', '#b81823'];

/** @throws if this browser cannot make the picture */
export async function drawShareCard(card: ShareCard): Promise<Blob> {
  const canvas = document.createElement('canvas');
  [canvas.width, canvas.height] = [WIDTH, HEIGHT];
  const pen = canvas.getContext('2d')!;
  pen.textAlign = 'center';
  const colours = { ...LOOK, ...card.colours };
  pen.fillStyle = shade(pen.createLinearGradient(0, 0, 0, HEIGHT), [
    [0, colours.background],
    [1, mix(colours.background, '#000000', 0.5)],
  ]);
  pen.fillRect(0, 0, WIDTH, HEIGHT);
  drawHead(pen, card, colours.accent);
  drawLetter(pen, card);
  drawPocket(pen, colours, card.packet);
  if (card.warning !== undefined) drawWarning(pen, card.warning);
  const blob = await new Promise<Blob | null>((resolve) => {
    canvas.toBlob(resolve, 'image/png');
  });
  if (!blob) throw new Error('the picture could not be made');
  return blob;
}

function drawHead(pen: Pen, { title, logo }: ShareCard, accent: string): void {
  if (logo) {
    const scale = Math.min(480 / logo.naturalWidth, 130 / logo.naturalHeight);
    const [width, height] = [logo.naturalWidth * scale, logo.naturalHeight * scale];
    pen.drawImage(logo, MIDDLE - width / 2, 130 - height / 2, width, height);
  }
  pen.fillStyle = accent;
  const lines = wrapped(pen, title, { width: 900, size: 62, linesMax: 2 });
  for (const [i, line] of lines.entries())
    pen.fillText(line, MIDDLE, (logo ? 280 : 220) + (i - (lines.length - 1) / 2) * 78);
}

function drawLetter(pen: Pen, { headline, amount, greeting }: ShareCard): void {
  const { x, y, width, height } = LETTER;
  pen.save();
  pen.shadowColor = '#0006';
  pen.shadowBlur = 40;
  pen.fillStyle = shade(pen.createLinearGradient(0, y, 0, y + height), [
    [0, '#fffaf0'],
    [1, '#fde6b4'],
  ]);
  pen.beginPath();
  rounded(pen, x, y, width, height, 28);
  pen.fill();
  pen.restore();
  pen.fillStyle = INK;
  fitted(pen, headline, { width: width - 100, size: 46 });
  pen.fillText(headline, MIDDLE, y + 100);
  pen.fillStyle = AMOUNT;
  fitted(pen, amount, { width: width - 100, size: 160 });
  pen.fillText(amount, MIDDLE, y + 270);
  if (greeting === undefined) return;
  pen.fillStyle = INK;
  for (const [i, line] of wrapped(pen, greeting, { width: width - 100, size: 38, linesMax: 3 }).entries())
    pen.fillText(line, MIDDLE, y + 370 + i * 50);
}

/** The front of the packet, out of which the letter looks. */
function drawPocket(pen: Pen, { packet: colour, accent }: typeof LOOK, picture: HTMLImageElement | undefined): void {
  const { x, y, width, height } = PACKET;
  pen.save();
  pen.shadowColor = '#0008';
  pen.shadowBlur = 50;
  pen.beginPath();
  pen.moveTo(x, y + 60);
  pen.lineTo(MIDDLE, y + 240);
  pen.lineTo(x + width, y + 60);
  pen.lineTo(x + width, y + height - 40);
  pen.quadraticCurveTo(x + width, y + height, x + width - 40, y + height);
  pen.lineTo(x + 40, y + height);
  pen.quadraticCurveTo(x, y + height, x, y + height - 40);
  pen.closePath();
  pen.fillStyle = shade(pen.createLinearGradient(0, y, 0, y + height), [
    [0, mix(colour, '#ffffff', 0.12)],
    [1, colour],
  ]);
  pen.fill();
  pen.shadowColor = 'transparent';
  pen.clip();
  if (picture) cover(pen, picture, PACKET);
  pen.strokeStyle = accent;
  pen.lineWidth = 8;
  pen.stroke();
  pen.restore();
}

function drawWarning(pen: Pen, warning: string): void {
  pen.fillStyle = '#ffd54a';
  pen.fillRect(0, 0, WIDTH, 74);
  pen.fillStyle = '#2b1c00';
  fitted(pen, warning, { width: WIDTH - 80, size: 42 });
  pen.fillText(warning, MIDDLE, 52);
}
