/** The part of a WebSocket that is used: a browser's, that of Node 22, or `ws`. Methods, so that all three fit. */
export interface Socket {
  readonly readyState: number;
  send(frame: string): void;
  close(code?: number): void;
  addEventListener(type: 'message', listener: (event: { data: unknown }) => void): void;
  addEventListener(type: 'close', listener: (event: { code: number }) => void): void;
  addEventListener(type: 'error', listener: (event: object) => void): void;
}

export type SocketClass = new (url: string, protocols: string[]) => Socket;

export const OPEN = 1;

/** The HTTP status of a refused upgrade. Browsers do not report it; `ws` puts it into the error message. */
export function refusedStatus(event: object): number | undefined {
  const status = /^Unexpected server response: (\d{3})$/.exec('message' in event ? String(event.message) : '')?.[1];
  return status === undefined ? undefined : Number(status);
}

export function isSocketAddress(url: string): boolean {
  try {
    return /^wss?:$/.test(new URL(url).protocol);
  } catch {
    return false;
  }
}

export function globalSocket(): SocketClass | undefined {
  return (globalThis as { WebSocket?: SocketClass }).WebSocket;
}
