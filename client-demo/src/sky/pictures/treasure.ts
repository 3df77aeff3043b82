import { circle, fill, outline, shade, type Pen } from './pen.ts';

/** An old coin with a square hole: needs no font. */
export function holedCoin(pen: Pen, x: number, y: number, radius: number, hole: string): void {
  const metal = pen.createRadialGradient(x - radius * 0.35, y - radius * 0.4, radius * 0.1, x, y, radius);
  fill(
    pen,
    shade(metal, [
      [0, '#fff8dc'],
      [0.55, '#f8cf6a'],
      [1, '#d98f22'],
    ]),
    () => circle(pen, x, y, radius),
  );
  outline(pen, '#b4701799', radius * 0.09, () => circle(pen, x, y, radius * 0.8));
  const side = radius * 0.58;
  pen.fillStyle = hole;
  pen.fillRect(x - side / 2, y - side / 2, side, side);
  pen.strokeStyle = '#b46f17';
  pen.strokeRect(x - side / 2, y - side / 2, side, side);
}

export function drawCoin(pen: Pen): void {
  holedCoin(pen, 0, 0, 12, '#8f3d12');
}

/** A golden ingot (元宝): a boat with an egg in it. */
export function drawIngot(pen: Pen): void {
  const egg = shade(pen.createRadialGradient(-6, -18, 2, 0, -6, 24), [
    [0, '#fffbe6'],
    [0.6, '#ffd56f'],
    [1, '#d48a1e'],
  ]);
  fill(pen, egg, () => pen.ellipse(0, -5, 19, 19, 0, Math.PI, 0));
  const boat = shade(pen.createLinearGradient(0, -16, 0, 26), [
    [0, '#ffe389'],
    [0.5, '#f4b93e'],
    [1, '#c77a16'],
  ]);
  fill(pen, boat, () => {
    pen.moveTo(-35, -16);
    pen.quadraticCurveTo(-18, 2, 0, 2);
    pen.quadraticCurveTo(18, 2, 35, -16);
    pen.quadraticCurveTo(33, 26, 0, 26);
    pen.quadraticCurveTo(-33, 26, -35, -16);
    pen.closePath();
  });
  outline(pen, '#fff3c4', 1.4);
  pen.lineCap = 'round';
  outline(pen, '#fff6d6b0', 2.4, () => {
    pen.moveTo(-26, 2);
    pen.quadraticCurveTo(-20, 18, -4, 21);
  });
}
