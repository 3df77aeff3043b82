/**
 * As much of a WebSocket as is used here: a browser's own, that of Node 22, or `ws`. Methods rather than properties for
 * handlers, so that each of them fits although their event types differ.
 */
export interface Socket {
  readonly readyState: number;
  send(frame: string): void;
  close(code?: number): void;
  addEventListener(type: 'message', listener: (event: { data: unknown }) => void): void;
  addEventListener(type: 'close', listener: (event: { code: number }) => void): void;
  addEventListener(type: 'error', listener: (event: object) => void): void;
}

export type SocketClass = new (url: string, protocols: string[]) => Socket;

/** `readyState` of a socket that can be sent on. */
export const OPEN = 1;

/** A browser tells nobody why an upgrade was refused; `ws` does, in words. */
export function refusedStatus(event: object): number | undefined {
  const status = /^Unexpected server response: (\d{3})$/.exec('message' in event ? String(event.message) : '')?.[1];
  return status === undefined ? undefined : Number(status);
}
