import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { request, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { setTheme, setThemeFile } from '../../../src/operator/themes.ts';
import { eventually } from '../../support/eventually.ts';
import { sound } from '../../support/themeFiles.ts';
import { ask } from '../asker.ts';
import type { Family } from '../family.ts';

const FRAMES = sound.mp3();
const MUSIC = Buffer.alloc(Math.floor(3_900_000 / FRAMES.length) * FRAMES.length, FRAMES);
const ASKERS = 200;
/** A console cuts an answer of which nothing was read for 15 s, looks every 3 s, and the machine is busy. */
const CUT_MS = 15_000 + 2 * 3_000 + 6_000;

/** Answers that are asked for and not read. */
export const unread: Family = {
  name: 'unread answers',
  // Its 800 MB under way slow the others down.
  alone: true,
  async attack({ console: { port }, context, address }, attempts) {
    await setTheme(context, { id: 'loud', title: 'Loud', isDefault: true });
    const set = await setThemeFile(context, 'loud', 'music', MUSIC);
    if (!set.ok) throw new Error(JSON.stringify(set));
    const [silent, slow] = [address(), address()];
    const { json } = await ask(port, '/api/theme', { from: slow });
    const path = `/${(json as { theme: { files: { music: string } } }).theme.files.music}`;
    const sockets = Array.from({ length: ASKERS }, () => {
      const socket = connect({ port, host: '127.0.0.1', localAddress: silent }).on('error', () => {});
      socket.pause().write(`GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`);
      return socket;
    });
    const honest = slowly(port, path, slow);
    attempts.control(
      'all of them are connected',
      await eventually(async () => (await heldBy(port, silent)) === ASKERS),
      true,
    );
    await sleep(CUT_MS);
    attempts.refused(
      `of ${ASKERS} who read nothing for ${CUT_MS / 1_000} s: connections that the console still holds`,
      await heldBy(port, silent),
      0,
    );
    for (const socket of sockets) socket.destroy();
    attempts.control('somebody who reads 100 KB a second gets all of it', await honest, MUSIC.length);
  },
};

/** Connections of this address that the server has not given up. The system may still keep bytes of others. */
async function heldBy(port: number, address: string): Promise<number> {
  const hex = (value: number, digits: number) => value.toString(16).toUpperCase().padStart(digits, '0');
  const remote = address
    .split('.')
    .map((part) => hex(Number(part), 2))
    .reverse()
    .join('');
  const row = new RegExp(`:${hex(port, 4)} [0-9A-F]*${remote}:[0-9A-F]{4} 01 `);
  const tables = await Promise.all(['tcp', 'tcp6'].map((name) => readFile(`/proc/net/${name}`, 'latin1')));
  return tables
    .join('\n')
    .split('\n')
    .filter((line) => row.test(line)).length;
}

async function slowly(port: number, path: string, localAddress: string): Promise<number> {
  const asking = request({ host: '127.0.0.1', port, path, localAddress, agent: false }).end();
  const [answer] = (await once(asking, 'response')) as [IncomingMessage];
  let bytes = 0;
  try {
    for await (const part of answer as AsyncIterable<Buffer>) {
      bytes += part.length;
      await sleep(part.length / 100);
    }
  } catch {
    // Cut: the number tells it.
  }
  return bytes;
}
