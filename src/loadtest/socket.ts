import { WebSocket } from 'ws';
import type { Loss } from '../client/reconnect.ts';
import { SUBPROTOCOL } from '../protocol/constants.ts';
import type { ClientMessage } from '../protocol/messages.ts';
import { REFUSALS, type Refusal } from '../protocol/outcomes.ts';
import type { RetryPolicy } from './retryPolicy.ts';
import { parseServerMessage, type HeardMessage } from './serverMessage.ts';

/** Larger than any frame of rain.v1: a welcome lists at most 50 rains. */
const FRAME_BYTES_MAX = 256 * 1024;

/** What may wait to be sent of one who shouts [R10]. */
const UNSENT_BYTES_MAX = 64 * 1024;

/** How a line ended, in words. */
export function describeLoss(loss: Loss): string {
  switch (loss.kind) {
    case 'refused': return `answered with HTTP ${loss.status}${loss.status in REFUSALS ? ` ${REFUSALS[loss.status as Refusal].reason}` : ''}`;
    case 'unreachable': return loss.reason;
    case 'closed': return `closed with ${loss.code}`;
    default: return loss satisfies never;
  }
}

interface BotSocketEvents {
  onMessage(message: HeardMessage): void;
  /** A frame that is none of rain.v1. */
  onUnreadable(): void;
  /** Exactly once, and nothing after it. */
  onLost(loss: Loss): void;
}

/**
 * One socket of one bot. Not the client's own connection, on purpose: a bot's line calls from an address of its choosing, stops
 * reading, breaks at will, shouts what is no message, and reads a broadcast once for 20,000. What the two share are the rules:
 * when to come back (`client/reconnect.ts`), how long a pause is believed, and what an exchange tells of the server's clock.
 */
export interface BotSocket {
  /** Swallowed when the line is closing: `onLost` is on its way. */
  say(message: ClientMessage): void;
  /** Whatever it is, well-formed or not; dropped while much of what was said before has not gone out. */
  shout(frame: string | Buffer): void;
  /** Reads nothing more. @returns reads on */
  stopReading(): () => void;
  /** Says goodbye; cut after `hangUpMs` if the server does not. */
  hangUp(): void;
  /** Ends at once, without a word. */
  cut(): void;
}

interface Dial {
  address: URL;
  token: string;
  localAddress: string | undefined;
  retryPolicy: RetryPolicy;
}

/** Dials the gateway as a native client does, with the token in the header. Never throws: what goes wrong comes as `onLost`. */
export function dial({ address, token, localAddress, retryPolicy }: Dial, events: BotSocketEvents): BotSocket {
  const socket = new WebSocket(address, [SUBPROTOCOL], {
    headers: { authorization: `Bearer ${token}` },
    handshakeTimeout: retryPolicy.handshakeMs,
    maxPayload: FRAME_BYTES_MAX,
    perMessageDeflate: false,
    // A source address of 127.0.0.0/8 can only call an IPv4 address.
    ...(localAddress !== undefined && { localAddress, family: 4 }),
  });
  let loss: Loss | undefined;
  let opened = false;
  let goodbye: NodeJS.Timeout | undefined;
  socket.on('open', () => { opened = true; });
  socket.on('message', (data, isBinary) => {
    const message = isBinary ? undefined : parseServerMessage(data.toString());
    if (message) events.onMessage(message);
    else events.onUnreadable();
  });
  socket.on('unexpected-response', (_request, response) => {
    loss = { kind: 'refused', status: response.statusCode ?? 0 };
    socket.terminate();
  });
  socket.on('error', (error) => {
    if (!opened) loss ??= { kind: 'unreachable', reason: error.message };
  });
  socket.on('close', (code) => {
    clearTimeout(goodbye);
    events.onLost(loss ?? { kind: 'closed', code });
  });
  return {
    say(message) {
      if (socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify(message));
    },
    shout(frame) {
      if (socket.readyState === WebSocket.OPEN && socket.bufferedAmount < UNSENT_BYTES_MAX) socket.send(frame);
    },
    stopReading() {
      socket.pause();
      return () => socket.resume();
    },
    hangUp() {
      goodbye ??= setTimeout(() => socket.terminate(), retryPolicy.hangUpMs);
      socket.close(1000);
    },
    cut: () => socket.terminate(),
  };
}
