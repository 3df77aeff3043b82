import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { delimiter, join } from 'node:path';
import { onTestFinished } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { freePort } from '../support/freePort.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';

const SITE = readFileSync(new URL('../../deploy/nginx/red-packet-rain.conf', import.meta.url), 'utf8');

/** Debian keeps it where only root's PATH looks. */
const FOLDERS = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/sbin', '/usr/local/sbin'];
const NGINX = FOLDERS.map((folder) => join(folder, 'nginx')).find((path) => existsSync(path));
export const WITHOUT_NGINX = NGINX === undefined ? 'no nginx: install it (apt-get install nginx)' : undefined;

export interface Site {
  http: number;
  https: number;
}

/**
 * A real nginx that serves the site as it is delivered, but for what its head says is to be set: addresses and certificate.
 * @throws when one of them does not stand in the file as expected: then the file and its test have parted
 */
export async function serveSite(gatewayPort: number, consolePort: number): Promise<Site> {
  const folder = temporaryFolder();
  const [http, https] = [await freePort(), await freePort()];
  const [certificate, key] = [join(folder, 'site.pem'), join(folder, 'site.key')];
  execFileSync('openssl', ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-subj', '/CN=rain.example.com', '-keyout', key, '-out', certificate], { stdio: 'ignore' });
  const site = ([
    ['listen 80;', `listen 127.0.0.1:${http};`], ['listen [::]:80;', ''],
    ['listen 443 ssl;', `listen 127.0.0.1:${https} ssl;`], ['listen [::]:443 ssl;', ''],
    ['server 127.0.0.1:8687 ', `server 127.0.0.1:${gatewayPort} `], ['server 127.0.0.1:8686 ', `server 127.0.0.1:${consolePort} `],
    ['/etc/ssl/rain.example.com.pem', certificate], ['/etc/ssl/rain.example.com.key', key],
  ] as const).reduce((text, [delivered, here]) => {
    if (text.split(delivered).length !== 2) throw new Error(`the site does not hold ${delivered} exactly once`);
    return text.replace(delivered, here);
  }, SITE);
  const own = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${join(folder, name)};`).join(' ');
  mkdirSync(join(folder, 'logs'));
  const file = join(folder, 'nginx.conf');
  writeFileSync(file, `daemon off; master_process off; pid ${join(folder, 'nginx.pid')}; error_log ${join(folder, 'error.log')};
    events { worker_connections 256; } http { access_log off; ${own}\n${site}\n}`);
  const nginx = spawn(NGINX!, ['-p', folder, '-c', file], { stdio: ['ignore', 'ignore', 'inherit'] });
  onTestFinished(async () => {
    if (nginx.exitCode !== null) return;
    nginx.kill('SIGTERM');
    await once(nginx, 'exit');
  });
  await eventually(() => reach(https));
  return { http, https };
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
