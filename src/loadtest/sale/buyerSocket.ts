import { WebSocket } from 'ws';
import type { SocketClass } from '../../client/socket.ts';

const HANDSHAKE_MS_MAX = 10_000;
/** Larger than any frame of rain.v1. */
const FRAME_BYTES_MAX = 256 * 1024;

/** The sockets of one buyer: from its own address, and open to frames that the client would never send. */
export function buyerSockets(
  localAddress: string | undefined,
  onFailure: (reason: string) => void,
): { WebSocket: SocketClass; sendRaw(frame: string): boolean } {
  let current: WebSocket | undefined;
  const keep = (opened: WebSocket) => {
    current = opened;
  };
  class BuyerSocket extends WebSocket {
    constructor(url: string, protocols: string[]) {
      super(url, protocols, {
        handshakeTimeout: HANDSHAKE_MS_MAX,
        maxPayload: FRAME_BYTES_MAX,
        perMessageDeflate: false,
        // A source address of 127.0.0.0/8 can only reach an IPv4 address.
        ...(localAddress !== undefined && { localAddress, family: 4 }),
      });
      this.on('error', ({ message }) => onFailure(message));
      keep(this);
    }
  }
  return {
    WebSocket: BuyerSocket,
    sendRaw(frame) {
      if (current?.readyState !== WebSocket.OPEN) return false;
      current.send(frame);
      return true;
    },
  };
}
