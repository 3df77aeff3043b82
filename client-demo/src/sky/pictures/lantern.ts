/** A paper lantern, lit from within, with a tassel. */
export function drawLantern(pen: CanvasRenderingContext2D): void {
  const light = pen.createRadialGradient(0, -8, 3, 0, -8, 34);
  light.addColorStop(0, '#ffdf8f');
  light.addColorStop(0.35, '#ff7a45');
  light.addColorStop(1, '#c4141f');
  pen.beginPath();
  pen.ellipse(0, -8, 33, 29, 0, 0, Math.PI * 2);
  pen.fillStyle = light;
  pen.fill();
  pen.strokeStyle = '#ffcf7d8c';
  pen.lineWidth = 1.2;
  for (const width of [33, 22, 10]) {
    pen.beginPath();
    pen.ellipse(0, -8, width, 29, 0, 0, Math.PI * 2);
    pen.stroke();
  }
  const metal = pen.createLinearGradient(-15, 0, 15, 0);
  metal.addColorStop(0, '#c98a24');
  metal.addColorStop(0.5, '#ffe9a8');
  metal.addColorStop(1, '#c98a24');
  pen.fillStyle = metal;
  for (const y of [-41, 18]) {
    pen.beginPath();
    pen.roundRect(-15, y, 30, 7, 2.5);
    pen.fill();
  }
  pen.fillRect(-1, -50, 2, 9);
  pen.strokeStyle = '#f6b33f';
  pen.lineWidth = 1.3;
  for (const x of [-6, -3, 0, 3, 6]) {
    pen.beginPath();
    pen.moveTo(x * 0.5, 25);
    pen.lineTo(x, 50 - Math.abs(x) * 0.5);
    pen.stroke();
  }
  pen.beginPath();
  pen.arc(0, 29, 4, 0, Math.PI * 2);
  pen.fillStyle = '#e03a30';
  pen.fill();
}
