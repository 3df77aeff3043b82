import { encode } from 'uqr';

/** Light modules around the code; scanners ask for some. */
const QUIET_ZONE = 3;

/** A QR code as one path of an SVG: dark on nothing. `size`: width and height of its view box. */
export function qrPath(text: string): { path: string; size: number } {
  const { data, size } = encode(text, { border: QUIET_ZONE });
  // One rectangle for each run of dark modules; a sheet of cards has hundreds of codes. Every row ends with light ones.
  const path = data
    .flatMap((row, y) =>
      row.flatMap((dark, x) => (dark && !row[x - 1] ? `M${x} ${y}h${row.indexOf(false, x) - x}v1H${x}z` : [])),
    )
    .join('');
  return { path, size };
}
