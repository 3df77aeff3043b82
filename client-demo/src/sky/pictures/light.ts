import { fill, shade, type Pen } from './pen.ts';

export function drawGlow(pen: Pen): void {
  disc(pen, 75, [
    [0, '#ffcf6b75'],
    [0.35, '#ffb54540'],
    [1, '#ff9a3000'],
  ]);
}

export function drawSpark(pen: Pen): void {
  disc(pen, 10, [
    [0, '#fff6dc'],
    [0.25, '#ffe2a0c8'],
    [1, '#ffc65a00'],
  ]);
}

export function drawPetal(pen: Pen): void {
  const leaf = shade(pen.createLinearGradient(-6, -6, 6, 6), [
    [0, '#ffeebb'],
    [1, '#dd9a2e'],
  ]);
  fill(pen, leaf, () => pen.ellipse(0, 0, 7, 4, 0.6, 0, Math.PI * 2));
}

function disc(pen: Pen, radius: number, stops: Parameters<typeof shade>[1]): void {
  pen.fillStyle = shade(pen.createRadialGradient(0, 0, 0, 0, 0, radius), stops);
  pen.fillRect(-radius, -radius, radius * 2, radius * 2);
}
