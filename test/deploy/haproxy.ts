import { readFileSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import { connect } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { freePort } from '../support/freePort.ts';
import { change, delivered, findServer, selfSigned, serveWith, type Balancer, type Site } from './site.ts';

const HAPROXY = findServer('haproxy');

export const haproxy: Balancer = {
  name: 'HAProxy',
  missing: HAPROXY === undefined ? 'no HAProxy: install it (apt-get install haproxy)' : undefined,
  impatient: [
    ['timeout tunnel 90s', 'timeout tunnel 2s'],
    ['timeout client 60s', 'timeout client 1s'],
    ['timeout server 40s', 'timeout server 1s'],
  ],
  async serve(folder, { gateways, console }, changes = []) {
    const [http, https] = [await freePort(), await freePort()];
    const { certificate, key } = selfSigned(folder);
    // HAProxy reads both from one file.
    writeFileSync(certificate, readFileSync(certificate, 'utf8') + readFileSync(key, 'utf8'));
    const admin = join(folder, 'admin.sock');
    const file = join(folder, 'haproxy.cfg');
    writeFileSync(
      file,
      change(delivered('haproxy/red-packet-rain.cfg'), [
        ['bind :80', `bind 127.0.0.1:${http}`],
        ['bind :443 ', `bind 127.0.0.1:${https} `],
        ['server g1 127.0.0.1:8687', gateways.map((port, i) => `server g${i + 1} 127.0.0.1:${port}`).join('\n    ')],
        ['server c1 127.0.0.1:8686', `server c1 127.0.0.1:${console}`],
        ['/etc/ssl/rain.example.com.pem', certificate],
        ['/run/haproxy/admin.sock', admin],
        // So many open files are not allowed everywhere that tests run.
        ['maxconn 40000', 'maxconn 4000'],
        ...changes,
      ]),
    );
    return { http, https, admin, close: await serveWith(HAPROXY!, ['-db', '-f', file], https) };
  },
};

/** Sends a command, as `socat` in the runbook does. @returns the answer */
export async function command({ admin }: Site, words: string): Promise<string> {
  const socket = connect(admin!);
  await once(socket, 'connect');
  socket.end(`${words}\n`);
  return await text(socket);
}

/** @returns `UP`, `DOWN`, `DRAIN`, … of the nth gateway, from 1 */
export async function stateOf(site: Site, gateway: number): Promise<string> {
  const rows = (await command(site, 'show stat')).split('\n').map((row) => row.split(','));
  const state = rows[0]!.indexOf('status');
  return rows.find(([backend, server]) => backend === 'rain_gateway' && server === `g${gateway}`)![state]!;
}
