/** An old coin with a square hole: needs no font. */
export function holedCoin(pen: CanvasRenderingContext2D, x: number, y: number, radius: number, hole: string): void {
  const metal = pen.createRadialGradient(x - radius * 0.35, y - radius * 0.4, radius * 0.1, x, y, radius);
  metal.addColorStop(0, '#fff8dc');
  metal.addColorStop(0.55, '#f8cf6a');
  metal.addColorStop(1, '#d98f22');
  pen.beginPath();
  pen.arc(x, y, radius, 0, Math.PI * 2);
  pen.fillStyle = metal;
  pen.fill();
  pen.beginPath();
  pen.arc(x, y, radius * 0.8, 0, Math.PI * 2);
  pen.strokeStyle = '#b4701799';
  pen.lineWidth = radius * 0.09;
  pen.stroke();
  const side = radius * 0.58;
  pen.fillStyle = hole;
  pen.fillRect(x - side / 2, y - side / 2, side, side);
  pen.strokeStyle = '#b46f17';
  pen.lineWidth = radius * 0.09;
  pen.strokeRect(x - side / 2, y - side / 2, side, side);
}

export function drawCoin(pen: CanvasRenderingContext2D): void {
  holedCoin(pen, 0, 0, 12, '#8f3d12');
}

/** A golden ingot (元宝): a boat with an egg in it. */
export function drawIngot(pen: CanvasRenderingContext2D): void {
  const egg = pen.createRadialGradient(-6, -18, 2, 0, -6, 24);
  egg.addColorStop(0, '#fffbe6');
  egg.addColorStop(0.6, '#ffd56f');
  egg.addColorStop(1, '#d48a1e');
  pen.beginPath();
  pen.ellipse(0, -5, 19, 19, 0, Math.PI, 0);
  pen.fillStyle = egg;
  pen.fill();

  const boat = pen.createLinearGradient(0, -16, 0, 26);
  boat.addColorStop(0, '#ffe389');
  boat.addColorStop(0.5, '#f4b93e');
  boat.addColorStop(1, '#c77a16');
  pen.beginPath();
  pen.moveTo(-35, -16);
  pen.quadraticCurveTo(-18, 2, 0, 2);
  pen.quadraticCurveTo(18, 2, 35, -16);
  pen.quadraticCurveTo(33, 26, 0, 26);
  pen.quadraticCurveTo(-33, 26, -35, -16);
  pen.closePath();
  pen.fillStyle = boat;
  pen.fill();
  pen.strokeStyle = '#fff3c4';
  pen.lineWidth = 1.4;
  pen.stroke();
  pen.beginPath();
  pen.moveTo(-26, 2);
  pen.quadraticCurveTo(-20, 18, -4, 21);
  pen.strokeStyle = '#fff6d6b0';
  pen.lineWidth = 2.4;
  pen.lineCap = 'round';
  pen.stroke();
}
