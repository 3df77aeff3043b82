import { circle, fill, outline, rounded, shade, type Pen } from './pen.ts';

/** A paper lantern, lit from within, with a tassel. */
export function drawLantern(pen: Pen): void {
  const light = shade(pen.createRadialGradient(0, -8, 3, 0, -8, 34), [
    [0, '#ffdf8f'],
    [0.35, '#ff7a45'],
    [1, '#c4141f'],
  ]);
  const oval = (width: number) => pen.ellipse(0, -8, width, 29, 0, 0, Math.PI * 2);
  fill(pen, light, () => oval(33));
  for (const width of [33, 22, 10]) outline(pen, '#ffcf7d8c', 1.2, () => oval(width));
  const metal = shade(pen.createLinearGradient(-15, 0, 15, 0), [
    [0, '#c98a24'],
    [0.5, '#ffe9a8'],
    [1, '#c98a24'],
  ]);
  for (const y of [-41, 18]) fill(pen, metal, () => rounded(pen, -15, y, 30, 7, 2.5));
  pen.fillRect(-1, -50, 2, 9);
  for (const x of [-6, -3, 0, 3, 6]) {
    outline(pen, '#f6b33f', 1.3, () => {
      pen.moveTo(x * 0.5, 25);
      pen.lineTo(x, 50 - Math.abs(x) * 0.5);
    });
  }
  fill(pen, '#e03a30', () => circle(pen, 0, 29, 4));
}
