import { readFile } from 'node:fs/promises';
import { readlinkSync } from 'node:fs';
import type { Socket } from 'node:net';

/** How far a socket's bytes have come. */
interface Delivery {
  /** Bytes that the peer's system has acknowledged. */
  acknowledged: number;
  /** Bytes that wait here, in this process or in its system. */
  waiting: number;
}

/** The parts of Node's handle of a socket that say so. */
interface Handle {
  fd: number;
  bytesWritten: number;
  writeQueueSize: number;
}

const TABLES = ['/proc/net/tcp', '/proc/net/tcp6'];
/** The two columns of a row that are read: the queue of sent bytes, in hexadecimal, and the socket's inode. */
const ROW = /^ *\d+: \S+ \S+ \S+ ([0-9A-F]+):\S+ \S+ \S+ +\d+ +\d+ (\d+)/gm;

/**
 * The system takes megabytes for a peer that reads nothing, and frees room for more only when half of them are read. So
 * Node alone cannot tell a slow peer from a silent one; Linux says how much it still holds.
 * @returns `seesSystem`: whether this system says so; elsewhere all that it has taken counts as acknowledged
 */
export async function deliveriesOf(
  sockets: Iterable<Socket>,
): Promise<{ seesSystem: boolean; of: (socket: Socket) => Delivery | undefined }> {
  const found = new Map<Socket, Delivery & { link: string }>();
  for (const socket of sockets) {
    const handle = (socket as Socket & { _handle?: Handle | null })._handle;
    if (socket.destroyed || !handle) continue;
    const { fd, bytesWritten, writeQueueSize: own } = handle;
    found.set(socket, {
      acknowledged: bytesWritten - own,
      waiting: Math.max(own, socket.writableLength),
      link: linkOf(fd),
    });
  }
  // The tables come second: bytes that are written meanwhile then count as not acknowledged, never as acknowledged.
  const tables = await Promise.all(TABLES.map((path) => readFile(path, 'latin1').catch(() => '')));
  const queued = new Map<string, number>();
  for (const table of tables)
    for (const [, bytes, inode] of table.matchAll(ROW)) queued.set(`socket:[${inode}]`, Number.parseInt(bytes!, 16));
  for (const delivery of found.values()) {
    const system = queued.get(delivery.link) ?? 0;
    delivery.acknowledged -= system;
    delivery.waiting += system;
  }
  return { seesSystem: queued.size > 0, of: (socket) => found.get(socket) };
}

function linkOf(fd: number): string {
  try {
    return readlinkSync(`/proc/self/fd/${fd}`);
  } catch {
    return '';
  }
}
