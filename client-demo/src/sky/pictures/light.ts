/** The glow behind rare packets. */
export function drawGlow(pen: CanvasRenderingContext2D): void {
  disc(pen, 75, [[0, '#ffcf6b75'], [0.35, '#ffb54540'], [1, '#ff9a3000']]);
}

export function drawSpark(pen: CanvasRenderingContext2D): void {
  disc(pen, 10, [[0, '#fff6dc'], [0.25, '#ffe2a0c8'], [1, '#ffc65a00']]);
}

/** A snip of gold leaf. */
export function drawPetal(pen: CanvasRenderingContext2D): void {
  const leaf = pen.createLinearGradient(-6, -6, 6, 6);
  leaf.addColorStop(0, '#ffeebb');
  leaf.addColorStop(1, '#dd9a2e');
  pen.beginPath();
  pen.ellipse(0, 0, 7, 4, 0.6, 0, Math.PI * 2);
  pen.fillStyle = leaf;
  pen.fill();
}

function disc(pen: CanvasRenderingContext2D, radius: number, stops: readonly (readonly [number, string])[]): void {
  const light = pen.createRadialGradient(0, 0, 0, 0, 0, radius);
  for (const [at, colour] of stops) light.addColorStop(at, colour);
  pen.fillStyle = light;
  pen.fillRect(-radius, -radius, radius * 2, radius * 2);
}
