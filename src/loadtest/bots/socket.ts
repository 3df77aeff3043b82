import { WebSocket } from 'ws';
import type { Loss } from '../../client/reconnect.ts';
import { SUBPROTOCOL } from '../../protocol/constants.ts';
import type { ClientMessage } from '../../protocol/messages.ts';
import { REFUSALS, type Refusal } from '../../protocol/outcomes.ts';
import type { LoadtestEnvironment } from '../environment.ts';
import { parseServerMessage, type ReceivedMessage } from './serverMessage.ts';

/** Larger than any frame of rain.v1: a welcome lists at most 50 rains. */
const FRAME_BYTES_MAX = 256 * 1024;

/** Maximum unsent data before `sendRaw` drops frames [R10]. */
const UNSENT_BYTES_MAX = 64 * 1024;

export function describeLoss(loss: Loss): string {
  switch (loss.kind) {
    case 'refused':
      return `answered with HTTP ${loss.status}${loss.status in REFUSALS ? ` ${REFUSALS[loss.status as Refusal].reason}` : ''}`;
    case 'unreachable':
      return loss.reason;
    case 'closed':
      return `closed with ${loss.code}`;
    default:
      return loss satisfies never;
  }
}

interface BotSocketEvents {
  onMessage(message: ReceivedMessage): void;
  /** A frame that is invalid in rain.v1. */
  onUnreadable(): void;
  /** Called exactly once, as the last event. */
  onLost(loss: Loss): void;
}

/**
 * Not the client's connection: a bot chooses its source address, stops reading, sends invalid frames, and parses a
 * broadcast once.
 */
export type BotSocket = ReturnType<typeof dial>;

/** Connects like a native client, with the token in the header. Never throws: every failure arrives as `onLost`. */
export function dial(
  { address, retryPolicy }: Pick<LoadtestEnvironment, 'address' | 'retryPolicy'>,
  token: string,
  localAddress: string | undefined,
  events: BotSocketEvents,
) {
  const socket = new WebSocket(address, [SUBPROTOCOL], {
    headers: { authorization: `Bearer ${token}` },
    handshakeTimeout: retryPolicy.handshakeMs,
    maxPayload: FRAME_BYTES_MAX,
    perMessageDeflate: false,
    // A source address of 127.0.0.0/8 can only reach an IPv4 address.
    ...(localAddress !== undefined && { localAddress, family: 4 }),
  });
  let loss: Loss | undefined;
  let opened = false;
  let goodbye: NodeJS.Timeout | undefined;
  socket.on('open', () => {
    opened = true;
  });
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
    /** Dropped while the socket is closing: `onLost` follows. */
    send(message: ClientMessage): void {
      if (socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify(message));
    },
    /** Sends any frame, valid or not; dropped while too much data is unsent. */
    sendRaw(frame: string | Buffer): void {
      if (socket.readyState === WebSocket.OPEN && socket.bufferedAmount < UNSENT_BYTES_MAX) socket.send(frame);
    },
    /** @returns continues to read */
    stopReading(): () => void {
      socket.pause();
      return () => socket.resume();
    },
    /** Sends a close frame; destroys the socket after `hangUpMs` without an answer. */
    close(): void {
      goodbye ??= setTimeout(() => socket.terminate(), retryPolicy.hangUpMs);
      socket.close(1000);
    },
    destroy(): void {
      socket.terminate();
    },
  };
}
