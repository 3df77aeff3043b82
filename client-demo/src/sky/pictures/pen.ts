export type Pen = CanvasRenderingContext2D;
type Fill = string | CanvasGradient;

/** Colours at fractions of a gradient, 0 to 1. */
export function shade(
  gradient: CanvasGradient,
  stops: readonly (readonly [at: number, colour: string])[],
): CanvasGradient {
  for (const [at, colour] of stops) gradient.addColorStop(at, colour);
  return gradient;
}

/** Fills the shape that `trace` draws. */
export function fill(pen: Pen, style: Fill, trace: () => void): void {
  pen.beginPath();
  trace();
  pen.fillStyle = style;
  pen.fill();
}

/** Draws the outline of the shape; without `trace` of the last one. */
export function outline(pen: Pen, style: string, width: number, trace?: () => void): void {
  if (trace) {
    pen.beginPath();
    trace();
  }
  pen.strokeStyle = style;
  pen.lineWidth = width;
  pen.stroke();
}

export function circle(pen: Pen, x: number, y: number, radius: number): void {
  pen.arc(x, y, radius, 0, Math.PI * 2);
}

/** Not `roundRect`, which older browsers lack. */
export function rounded(pen: Pen, x: number, y: number, width: number, height: number, radius: number): void {
  const [right, bottom] = [x + width, y + height];
  pen.moveTo(x + radius, y);
  pen.arcTo(right, y, right, bottom, radius);
  pen.arcTo(right, bottom, x, bottom, radius);
  pen.arcTo(x, bottom, x, y, radius);
  pen.arcTo(x, y, right, y, radius);
  pen.closePath();
}

/** Fills the rectangle with the middle of the picture. */
export function cover(
  pen: Pen,
  picture: HTMLImageElement,
  { x, y, width, height }: { x: number; y: number; width: number; height: number },
): void {
  const scale = Math.max(width / picture.naturalWidth, height / picture.naturalHeight);
  const [w, h] = [width / scale, height / scale];
  pen.imageSmoothingQuality = 'high';
  pen.drawImage(picture, (picture.naturalWidth - w) / 2, (picture.naturalHeight - h) / 2, w, h, x, y, width, height);
}
