import { circle, fill, outline, shade, type Pen } from './pen.ts';

/** A koi that swims down the sky, seen from above: head below, tail above. */
export function drawKoi(pen: Pen): void {
  const skin = shade(pen.createLinearGradient(-14, 0, 14, 0), [
    [0, '#e0402c'],
    [0.5, '#ff7a4d'],
    [1, '#d2331f'],
  ]);
  const fin = shade(pen.createLinearGradient(0, -44, 0, 30), [
    [0, '#ffd9a0'],
    [1, '#ff9a5c'],
  ]);

  // The tail, in two waves.
  fill(pen, fin, () => {
    pen.moveTo(0, -18);
    pen.bezierCurveTo(-6, -30, -24, -34, -20, -45);
    pen.bezierCurveTo(-10, -42, -3, -36, 0, -30);
    pen.bezierCurveTo(3, -36, 10, -42, 20, -45);
    pen.bezierCurveTo(24, -34, 6, -30, 0, -18);
  });
  for (const side of [-1, 1]) {
    fill(pen, fin, () => {
      pen.moveTo(side * 10, 12);
      pen.bezierCurveTo(side * 24, 8, side * 31, -4, side * 28, -10);
      pen.bezierCurveTo(side * 20, -10, side * 12, -6, side * 9, -2);
    });
  }

  fill(pen, skin, () => {
    pen.moveTo(0, 44);
    pen.bezierCurveTo(15, 42, 18, 20, 13, 2);
    pen.bezierCurveTo(10, -10, 5, -18, 0, -26);
    pen.bezierCurveTo(-5, -18, -10, -10, -13, 2);
    pen.bezierCurveTo(-18, 20, -15, 42, 0, 44);
    pen.closePath();
  });
  pen.save();
  pen.clip();
  for (const [x, y, w, h] of [
    [5, 14, 9, 7],
    [-7, -2, 8, 7],
    [4, -14, 7, 6],
    [0, 40, 9, 6],
  ] as const) {
    fill(pen, '#fff7ea', () => pen.ellipse(x, y, w, h, 0.4, 0, Math.PI * 2));
  }
  for (let row = 0; row < 5; row++) {
    for (let x = -12; x <= 12; x += 8)
      outline(pen, '#ffe6b880', 1, () => pen.arc(x + (row % 2) * 4, 20 - row * 8, 4.4, 0, Math.PI));
  }
  pen.restore();
  outline(pen, '#ffd58a', 1.2);
  for (const x of [-7.5, 7.5]) fill(pen, '#3a0a0a', () => circle(pen, x, 32, 2.2));
}
