import { useMemo } from 'preact/hooks';
import { qrPath } from '../../../src/platform/qrPath.ts';

/** A QR code. Screen readers get nothing: what it says stands beside it as text. */
export function QrCode({ text }: { text: string }) {
  const { path, size } = useMemo(() => qrPath(text), [text]);
  return (
    <svg
      class="qr-code"
      viewBox={`0 0 ${size} ${size}`}
      shape-rendering="crispEdges"
      aria-hidden="true"
      data-testid="qr-code"
    >
      <path d={path} />
    </svg>
  );
}
