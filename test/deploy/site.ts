import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { delimiter, join } from 'node:path';
import { eventually } from '../support/eventually.ts';

/** A text of a delivered file, and the text that a test puts there. */
export type Change = readonly [delivered: string, here: string];

interface Ports {
  gateways: readonly number[];
  console: number;
}

/**
 * A real balancer that serves its file of deploy/, but for what its head says is to be set: addresses and certificate.
 */
export interface Site {
  http: number;
  https: number;
  /** Where its commands are taken, of a balancer that takes any. */
  admin?: string;
  close(): Promise<void>;
}

export interface Balancer {
  name: string;
  /** Why its tests are skipped. */
  missing: string | undefined;
  /** Its timeouts, each shortened to 1 s, that of sockets to 2 s. */
  impatient: readonly Change[];
  /**
   * @param folder its own.
   * @throws when what is to be set does not stand in the file as expected: then the file and its test have parted
   */
  serve(folder: string, ports: Ports, changes?: readonly Change[]): Promise<Site>;
}

export const delivered = (path: string): string =>
  readFileSync(new URL(`../../deploy/${path}`, import.meta.url), 'utf8');

/** @returns its path; Debian keeps servers where only root's PATH looks */
export function findServer(name: string): string | undefined {
  return [...(process.env['PATH'] ?? '').split(delimiter), '/usr/sbin', '/usr/local/sbin']
    .map((folder) => join(folder, name))
    .find((path) => existsSync(path));
}

/** @throws unless each stands in the text exactly once */
export function change(text: string, changes: readonly Change[]): string {
  return changes.reduce((before, [from, to]) => {
    if (before.split(from).length !== 2) throw new Error(`the file does not hold ${from} exactly once`);
    return before.replace(from, () => to);
  }, text);
}

export function selfSigned(folder: string, host = 'rain.example.com'): { certificate: string; key: string } {
  const [certificate, key] = [join(folder, 'site.pem'), join(folder, 'site.key')];
  execFileSync(
    'openssl',
    [
      'req',
      '-x509',
      '-newkey',
      'rsa:2048',
      '-nodes',
      '-days',
      '2',
      '-subj',
      `/CN=${host}`,
      '-addext',
      `subjectAltName=DNS:${host}`,
      '-keyout',
      key,
      '-out',
      certificate,
    ],
    { stdio: 'ignore' },
  );
  return { certificate, key };
}

/** Starts it and waits until the port answers. @returns ends it @throws with what it said when it does not start */
export async function serveWith(program: string, args: readonly string[], port: number): Promise<() => Promise<void>> {
  const server = spawn(program, args, { stdio: ['ignore', 'ignore', 'pipe'] });
  let said = '';
  server.stderr.on('data', (chunk) => {
    said += String(chunk);
  });
  const ended = once(server, 'close');
  const close = async () => {
    server.kill('SIGTERM');
    await ended;
  };
  try {
    await Promise.race([
      eventually(() => reach(port)),
      ended.then(() => {
        throw new Error('it ended');
      }),
    ]);
  } catch (fault) {
    await close();
    throw new Error(`${program} did not start: ${String(fault)}\n${said}`);
  }
  return close;
}

function reach(port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: '127.0.0.1', port }, () => {
      socket.destroy();
      resolve();
    });
    socket.once('error', reject);
  });
}
