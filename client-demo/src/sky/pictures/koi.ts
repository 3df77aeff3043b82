/** A koi that swims down the sky, seen from above: head below, tail above. */
export function drawKoi(pen: CanvasRenderingContext2D): void {
  const skin = pen.createLinearGradient(-14, 0, 14, 0);
  skin.addColorStop(0, '#e0402c');
  skin.addColorStop(0.5, '#ff7a4d');
  skin.addColorStop(1, '#d2331f');
  const fin = pen.createLinearGradient(0, -44, 0, 30);
  fin.addColorStop(0, '#ffd9a0');
  fin.addColorStop(1, '#ff9a5c');

  pen.fillStyle = fin;
  // The tail, in two waves.
  pen.beginPath();
  pen.moveTo(0, -18);
  pen.bezierCurveTo(-6, -30, -24, -34, -20, -45);
  pen.bezierCurveTo(-10, -42, -3, -36, 0, -30);
  pen.bezierCurveTo(3, -36, 10, -42, 20, -45);
  pen.bezierCurveTo(24, -34, 6, -30, 0, -18);
  pen.fill();
  for (const side of [-1, 1]) {
    pen.beginPath();
    pen.moveTo(side * 10, 12);
    pen.bezierCurveTo(side * 24, 8, side * 31, -4, side * 28, -10);
    pen.bezierCurveTo(side * 20, -10, side * 12, -6, side * 9, -2);
    pen.fill();
  }

  pen.beginPath();
  pen.moveTo(0, 44);
  pen.bezierCurveTo(15, 42, 18, 20, 13, 2);
  pen.bezierCurveTo(10, -10, 5, -18, 0, -26);
  pen.bezierCurveTo(-5, -18, -10, -10, -13, 2);
  pen.bezierCurveTo(-18, 20, -15, 42, 0, 44);
  pen.closePath();
  pen.fillStyle = skin;
  pen.fill();
  pen.save();
  pen.clip();
  pen.fillStyle = '#fff7ea';
  for (const [x, y, w, h] of [[5, 14, 9, 7], [-7, -2, 8, 7], [4, -14, 7, 6], [0, 40, 9, 6]] as const) {
    pen.beginPath();
    pen.ellipse(x, y, w, h, 0.4, 0, Math.PI * 2);
    pen.fill();
  }
  pen.strokeStyle = '#ffe6b880';
  pen.lineWidth = 1;
  for (let row = 0; row < 5; row++) {
    for (let x = -12; x <= 12; x += 8) {
      pen.beginPath();
      pen.arc(x + (row % 2) * 4, 20 - row * 8, 4.4, 0, Math.PI);
      pen.stroke();
    }
  }
  pen.restore();
  pen.strokeStyle = '#ffd58a';
  pen.lineWidth = 1.2;
  pen.stroke();
  pen.fillStyle = '#3a0a0a';
  for (const x of [-7.5, 7.5]) {
    pen.beginPath();
    pen.arc(x, 32, 2.2, 0, Math.PI * 2);
    pen.fill();
  }
}
