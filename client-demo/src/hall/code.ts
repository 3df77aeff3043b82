import { encode } from 'uqr';

const SVG = 'http://www.w3.org/2000/svg';
/** Of light modules around the code; scanners ask for some. */
const QUIET_ZONE = 3;

/** A QR code as a picture of one path: dark on nothing. */
export function drawCode(text: string): SVGSVGElement {
  const { data, size } = encode(text, { border: QUIET_ZONE });
  const svg = document.createElementNS(SVG, 'svg');
  svg.setAttribute('viewBox', `0 0 ${size} ${size}`);
  svg.setAttribute('shape-rendering', 'crispEdges');
  svg.setAttribute('aria-hidden', 'true');
  const path = document.createElementNS(SVG, 'path');
  path.setAttribute('d', data.flatMap((row, y) => row.flatMap((dark, x) => (dark ? `M${x} ${y}h1v1h-1z` : []))).join(''));
  svg.append(path);
  return svg;
}
