import { readdirSync, readFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import type { Socket } from 'node:net';

/** The cost of one kind of message or request to the process that answered it. */
export interface Cost {
  what: string;
  count: number;
  /** Processor time of one, microseconds. */
  us: number;
  /** The size of the sent message, bytes: the frame, or the request with its head. */
  bytes: number;
  /** The answers seen: HTTP status, or code or type of a message. */
  answers: string;
}

export const usPerKilobyte = ({ us, bytes }: Cost): number => us / (bytes / 1_024);

/** Processor time of all threads of a process so far, microseconds; the process does nothing for it. */
export function processorUs(pid: number): number {
  let ns = 0;
  for (const task of readdirSync(`/proc/${pid}/task`))
    ns += Number(readFileSync(`/proc/${pid}/task/${task}/schedstat`, 'utf8').split(' ')[0]);
  return ns / 1_000;
}

/** Requests of one process over one connection that stays, with the bytes that were sent. */
export function openAsker(origin: string) {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const ask = (
    method: string,
    path: string,
    headers: Record<string, string>,
    body?: string,
  ): Promise<{ status: number; bytes: number }> =>
    new Promise((resolve, reject) => {
      let connection: Socket | undefined;
      let before = 0;
      const asking = request(
        origin + path,
        {
          method,
          agent,
          headers: {
            ...headers,
            ...(body !== undefined && {
              'content-type': 'application/json',
              'content-length': String(Buffer.byteLength(body)),
            }),
          },
        },
        (answer) => {
          const bytes = connection!.bytesWritten - before;
          const status = answer.statusCode!;
          // A stream has no end of its own.
          if (answer.headers['content-type']?.startsWith('text/event-stream')) {
            answer.destroy();
            resolve({ status, bytes });
            return;
          }
          answer
            .resume()
            .on('end', () => resolve({ status, bytes }))
            .on('error', reject);
        },
      );
      asking.on('socket', (socket) => {
        connection = socket;
        before = socket.bytesWritten;
      });
      asking.setTimeout(30_000, () => asking.destroy(new Error(`nothing was answered to ${method} ${path}`)));
      asking.on('error', reject).end(body);
    });
  return { ask, close: () => agent.destroy() };
}

/** @param idleUs processor time of the process per ms when nobody asks */
export async function costOf(
  what: string,
  pid: number,
  idleUs: number,
  count: number,
  send: (nth: number) => Promise<{ answer: string; bytes: number }>,
): Promise<Cost> {
  const answers = new Map<string, number>();
  let bytes = 0;
  const [start, before] = [performance.now(), processorUs(pid)];
  for (let nth = 0; nth < count; nth++) {
    const sent = await send(nth);
    bytes += sent.bytes;
    answers.set(sent.answer, (answers.get(sent.answer) ?? 0) + 1);
  }
  const us = processorUs(pid) - before - idleUs * (performance.now() - start);
  return {
    what,
    count,
    us: Math.max(0, us) / count,
    bytes: bytes / count,
    answers: [...answers].map(([answer, times]) => (answers.size === 1 ? answer : `${answer} (${times})`)).join(', '),
  };
}

/** The table, dearest first. */
export function tableOf(costs: readonly Cost[], grab: Cost, limits: Readonly<Record<string, string>>): string {
  const unit = usPerKilobyte(grab);
  const rows = costs
    .toSorted((a, b) => usPerKilobyte(b) - usPerKilobyte(a))
    .map(
      (cost) =>
        `| ${cost.what} | ${cost.us.toFixed(0)} | ${cost.bytes.toFixed(0)} | ${(usPerKilobyte(cost) / 1_000).toFixed(2)} | ${(usPerKilobyte(cost) / unit).toFixed(1)} | ${cost.answers} | ${limits[cost.what] ?? ''} |`,
    );
  return [
    '| message or request | µs | bytes | ms/KB | × a grab | answered | limit of its own |',
    '|---|---|---|---|---|---|---|',
    ...rows,
  ].join('\n');
}
