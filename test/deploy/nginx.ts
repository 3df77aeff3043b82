import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../support/freePort.ts';
import { change, delivered, findServer, selfSigned, serveWith, type Balancer } from './site.ts';

const NGINX = findServer('nginx');

export const nginx: Balancer = {
  name: 'nginx',
  missing: NGINX === undefined ? 'no nginx: install it (apt-get install nginx)' : undefined,
  impatient: [
    ['proxy_read_timeout 90s;', 'proxy_read_timeout 2s;'],
    ['proxy_send_timeout 90s;', 'proxy_send_timeout 2s;'],
    ['proxy_read_timeout 40s;', 'proxy_read_timeout 1s;'],
  ],
  async serve(folder, { gateways, console }, changes = []) {
    const [http, https] = [await freePort(), await freePort()];
    const { certificate, key } = selfSigned(folder);
    const site = change(delivered('nginx/red-packet-rain.conf'), [
      ['listen 80;', `listen 127.0.0.1:${http};`],
      ['listen [::]:80;', ''],
      ['listen 443 ssl;', `listen 127.0.0.1:${https} ssl;`],
      ['listen [::]:443 ssl;', ''],
      [
        'server 127.0.0.1:8687 max_fails=0;',
        gateways.map((port) => `server 127.0.0.1:${port} max_fails=0;`).join('\n    '),
      ],
      ['server 127.0.0.1:8686 ', `server 127.0.0.1:${console} `],
      ['/etc/ssl/rain.example.com.pem', certificate],
      ['/etc/ssl/rain.example.com.key', key],
      ...changes,
    ]);
    const own = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
      .map((name) => `${name}_temp_path ${join(folder, name)};`)
      .join(' ');
    mkdirSync(join(folder, 'logs'));
    const file = join(folder, 'nginx.conf');
    writeFileSync(
      file,
      `daemon off; master_process off; pid ${join(folder, 'nginx.pid')}; error_log ${join(folder, 'error.log')};
      events { worker_connections 256; } http { access_log off; ${own}\n${site}\n}`,
    );
    return { http, https, close: await serveWith(NGINX!, ['-p', folder, '-c', file], https) };
  },
};
