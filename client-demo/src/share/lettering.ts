import type { Pen } from '../sky/pictures/pen.ts';

interface Room {
  width: number;
  /** The size of the letters, at most. */
  size: number;
}

/** A Chinese letter may begin a line; other letters stay with their word. */
const PIECES = /[\u2e80-\uffff]|[^\s\u2e80-\uffff]+\s*|\s+/gu;
/** Smaller letters cannot be read in a messenger. */
const SMALLEST = 0.6;

/** Sets the largest letters with which the text fits on one line. */
export function fitted(pen: Pen, text: string, { width, size }: Room): void {
  setSize(pen, size);
  const needed = pen.measureText(text).width;
  if (needed > width) setSize(pen, (size * width) / needed);
}

/** Sets the size of the letters. @returns the lines; what does not fit ends in `…` */
export function wrapped(pen: Pen, text: string, { width, size, linesMax }: Room & { linesMax: number }): string[] {
  let lines: string[] = [];
  for (let part = 1; part >= SMALLEST; part -= 0.1) {
    setSize(pen, size * part);
    lines = linesOf(pen, text, width);
    if (lines.length <= linesMax) return lines;
  }
  const last = [...lines[linesMax - 1]!];
  while (last.length > 0 && pen.measureText(`${last.join('')}…`).width > width) last.pop();
  return [...lines.slice(0, linesMax - 1), `${last.join('').trimEnd()}…`];
}

function linesOf(pen: Pen, text: string, width: number): string[] {
  const lines = [''];
  const put = (piece: string) => {
    const last = lines[lines.length - 1]!;
    if (last !== '' && pen.measureText((last + piece).trimEnd()).width > width) lines.push('');
    lines[lines.length - 1] += piece;
  };
  for (const [piece] of text.matchAll(PIECES)) {
    // A word that is longer than a line is divided.
    if (pen.measureText(piece.trimEnd()).width > width) for (const letter of piece) put(letter);
    else put(piece);
  }
  return lines.map((line) => line.trim());
}

function setSize(pen: Pen, size: number): void {
  pen.font = `600 ${size}px ${getComputedStyle(document.documentElement).fontFamily}`;
}
