import { qrPath } from '../../../src/platform/qrPath.ts';

const SVG = 'http://www.w3.org/2000/svg';

/** A QR code as a picture of one path: dark on nothing. */
export function drawCode(text: string): SVGSVGElement {
  const { path: dark, size } = qrPath(text);
  const svg = document.createElementNS(SVG, 'svg');
  svg.setAttribute('viewBox', `0 0 ${size} ${size}`);
  svg.setAttribute('shape-rendering', 'crispEdges');
  svg.setAttribute('aria-hidden', 'true');
  const path = document.createElementNS(SVG, 'path');
  path.setAttribute('d', dark);
  svg.append(path);
  return svg;
}
