/** Size of a falling red packet at scale 1, CSS pixels. */
export const PACKET_WIDTH = 56;
export const PACKET_HEIGHT = 76;

/** One red packet drawn once; the rain copies it, which a slow phone does sixty times a second without effort. */
export function packetSprite(pixelRatio: number): HTMLCanvasElement {
  const sprite = document.createElement('canvas');
  sprite.width = Math.ceil(PACKET_WIDTH * pixelRatio);
  sprite.height = Math.ceil(PACKET_HEIGHT * pixelRatio);
  const pen = sprite.getContext('2d')!;
  pen.scale(pixelRatio, pixelRatio);
  const [w, h] = [PACKET_WIDTH, PACKET_HEIGHT];

  const paper = pen.createLinearGradient(0, 0, 0, h);
  paper.addColorStop(0, '#ef4a45');
  paper.addColorStop(1, '#cc1f2b');
  pen.beginPath();
  pen.roundRect(0, 0, w, h, 7);
  pen.fillStyle = paper;
  pen.fill();
  pen.clip();

  pen.beginPath();
  pen.moveTo(0, 0);
  pen.lineTo(w, 0);
  pen.lineTo(w, h * 0.3);
  pen.quadraticCurveTo(w / 2, h * 0.56, 0, h * 0.3);
  pen.closePath();
  pen.fillStyle = '#b5141f';
  pen.fill();
  pen.lineWidth = 1.2;
  pen.strokeStyle = '#f6c66788';
  pen.stroke();

  const seal = pen.createRadialGradient(w / 2 - 3, h * 0.41, 1, w / 2, h * 0.43, 11);
  seal.addColorStop(0, '#fff3cf');
  seal.addColorStop(1, '#eeb44a');
  pen.beginPath();
  pen.arc(w / 2, h * 0.43, 10.5, 0, Math.PI * 2);
  pen.fillStyle = seal;
  pen.fill();

  // The square hole of an old coin: needs no font.
  pen.fillStyle = '#c8262c';
  pen.fillRect(w / 2 - 3.2, h * 0.43 - 3.2, 6.4, 6.4);

  pen.beginPath();
  pen.roundRect(0.75, 0.75, w - 1.5, h - 1.5, 6.5);
  pen.strokeStyle = '#f6c667aa';
  pen.lineWidth = 1.5;
  pen.stroke();
  return sprite;
}
