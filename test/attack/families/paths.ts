import { readFileSync } from 'node:fs';
import { ask, type Answer } from '../asker.ts';
import type { Attempts, Family } from '../family.ts';
import { playerOf } from '../player.ts';
import { exchange, statuses } from '../raw.ts';
import type { Scene } from '../scene.ts';

/** Ways to write a step upwards, or to hide one. */
const UP = [
  '..',
  '%2e%2e',
  '%2E.',
  '.%2e',
  '%252e%252e',
  '..;',
  '....',
  '%c0%ae%c0%ae',
  '%u002e%u002e',
  '.%00.',
  '..%00',
  '..%09',
  '%ef%bc%8e%ef%bc%8e',
] as const;
const SLASHES = ['/', '%2f', '%2F', '\\', '%5c', '%252f', '//', '/./', '%c0%af', '%e2%88%95'] as const;
const ROOTS = ['/', '/console/', '/assets/', '/console/assets/', '/console/queues/'] as const;
/** Files that lie beside the pages, and of the machine. */
const WANTED = ['package.json', 'bin/rain.js', 'etc/passwd'] as const;
const HIDDEN = [
  '/.env',
  '/.git/config',
  '/.rain/secrets.json',
  '/package.json',
  '/server.js',
  '/index.html~',
  '/index.html/',
  '/index.html%00.css',
  '/assets',
  '/assets/',
  '/console/assets/',
  '/console/.env',
  '/console/index.html%00',
  '/%',
  '/%zz',
  '/%2',
  '/console/%e0%a4%a',
  '/con',
  '/*',
  '/~',
  '/?../../package.json',
  '/metrics',
] as const;
const METHODS = [
  'TRACE',
  'PUT',
  'DELETE',
  'PATCH',
  'PROPFIND',
  'MKCOL',
  'COPY',
  'MOVE',
  'LOCK',
  'SEARCH',
  'PURGE',
  'REPORT',
  'LINK',
  'MERGE',
  'SOURCE',
  'QUERY',
] as const;

/** Part of every file that nobody may see. */
const SECRET = /root:x:0|"dependencies"|JWT_SECRET|SIGNING_SECRET|#!\/usr\/bin\/env node|\[core\]/;
/** Words that tell visitors that they may do something other than they asked for. */
const BESIDE_THE_POINT = /not_allowed|bad_csrf|refused/;

export const paths: Family = {
  name: 'paths',
  async attack(scene, attempts) {
    const from = scene.address();
    attempts.control('the page is served', (await ask(scene.console.port, '/', { from })).status, 200);
    attempts.control("so is the operator's page", (await ask(scene.console.port, '/console/', { from })).status, 200);
    attempts.control(
      'files that are wanted exist',
      readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'),
      SECRET,
    );
    await traversal(scene, attempts, from);
    await hidden(scene, attempts, from);
    await methods(scene, attempts, from);
    await spelling(scene, attempts, from);
    await queues(scene, attempts, from);
    await gateway(scene, attempts, from);
  },
};

async function traversal(scene: Scene, attempts: Attempts, from: string): Promise<void> {
  const wrong: string[] = [];
  const told = new Set<string>();
  let sent = 0;
  for (const root of ROOTS)
    for (const up of UP) {
      await Promise.all(
        SLASHES.flatMap((slash) =>
          WANTED.map(async (file) => {
            const path = `${root}${`${up}${slash}`.repeat(6)}${file.replaceAll('/', slash)}`;
            const { status, text, json } = await ask(scene.console.port, path, { from });
            sent++;
            told.add(`${status} ${String(json?.['code'])}`);
            if (![400, 401, 404].includes(status) || SECRET.test(text) || BESIDE_THE_POINT.test(text))
              wrong.push(`${path}: ${status} ${text.slice(0, 120)}`);
          }),
        ),
      );
    }
  attempts.refused(
    `${sent} paths that lead out of the folders of the pages (${[...told].sort().join(', ')})`,
    wrong.slice(0, 5).join('; '),
    '',
  );
}

async function hidden(scene: Scene, attempts: Attempts, from: string): Promise<void> {
  for (const path of HIDDEN) {
    const { status, text } = await ask(scene.console.port, path, { from });
    attempts.refused(`${path} shows what is none of a page's`, SECRET.test(text) || BESIDE_THE_POINT.test(text), false);
    if (!path.startsWith('/?')) attempts.refused(path, status, [400, 404]);
  }
  for (const path of [
    '/../../../etc/passwd',
    '/\t/etc/passwd',
    '/..\\..\\..\\etc\\passwd',
    '//etc/passwd',
    'etc/passwd',
    'file:///etc/passwd',
    '/\xff/passwd',
  ]) {
    const received = await exchange(
      scene.console.port,
      Buffer.from(`GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n`, 'latin1'),
      { from },
    );
    attempts.refused(
      `${JSON.stringify(path)} over a bare connection`,
      `${statuses(received)}${SECRET.test(received) ? ' and the file' : ''}`,
      ['400', '404', '421', ''],
    );
  }
}

async function methods(scene: Scene, attempts: Attempts, from: string): Promise<void> {
  const authorization = `Bearer ${scene.staff.operator.token}`;
  for (const method of METHODS)
    for (const path of ['/', '/api/config', '/console/', '/api/console/rains', '/healthz']) {
      const { status, text } = await ask(scene.console.port, path, {
        method,
        from,
        headers: { authorization, 'x-canary': 'canary-in-a-header' },
      });
      attempts.refused(`${method} ${path}`, `${status}${text.includes('canary') ? ' and my headers' : ''}`, [
        '400',
        '404',
        '405',
        '415',
      ]);
    }
  const connected = await exchange(scene.console.port, 'CONNECT 127.0.0.1:22 HTTP/1.1\r\nHost: 127.0.0.1:22\r\n\r\n', {
    from,
  });
  attempts.refused('CONNECT to another port', statuses(connected), ['', '400', '404', '405']);
  attempts.refused(
    'a method that there is not',
    statuses(await exchange(scene.console.port, 'GETT / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n', { from })),
    '400',
  );
  attempts.control(
    'GET of the API',
    (await ask(scene.console.port, '/api/console/rains', { from, headers: { authorization } })).status,
    200,
  );
}

/** Other spellings of a path that asks for a sign-in: none of them does without. */
async function spelling(scene: Scene, attempts: Attempts, from: string): Promise<void> {
  const spellings = [
    '/api/console/rains',
    '/api/console/rains/',
    '/api//console/rains',
    '//api/console/rains',
    '/api/./console/rains',
    '/api/x/../console/rains',
    '/API/console/rains',
    '/Api/Console/Rains',
    '/api/console/%72ains',
    '/%61pi/console/rains',
    '/api%2fconsole%2frains',
    '/api/console/rains;a=b',
    '/api/console/rains?',
    '/api/console/rains%3f',
    '/api/console/rains%00',
    '/api/console/rains.json',
    '/api/console/rains#',
    '/api/guest/../console/rains',
    '/console/../api/console/rains',
    '/console/queues/../../api/console/rains',
    '/api/rains/../console/rains/luckiest',
  ];
  const rewriting: Record<string, string>[] = [
    {},
    { 'x-original-url': '/healthz' },
    { 'x-rewrite-url': '/healthz' },
    { 'x-http-method-override': 'OPTIONS' },
    { 'x-forwarded-prefix': '/api' },
  ];
  for (const path of spellings)
    for (const headers of rewriting) {
      const { status, text } = await ask(scene.console.port, path, { from, headers });
      attempts.refused(
        `${path} without a sign-in${Object.keys(headers)
          .map((name) => `, with ${name}`)
          .join('')}`,
        `${status}${text.includes('"rains"') ? ' and the rains' : ''}`,
        ['400', '401', '404'],
      );
    }
}

/** The queues are read-only: a job added by hand would be a claim that nobody has won. */
async function queues(scene: Scene, attempts: Attempts, from: string): Promise<void> {
  const { viewer, operator } = scene.staff;
  const path = '/api/console/queues';
  const headersOf = (token: string) => ({ authorization: `Bearer ${token}`, accept: 'application/json' });
  const stateOf = ({ json }: Answer) =>
    (json!['queues'] as { name: string; state: string }[]).map(({ name, state }) => `${name} ${state}`).join();
  const shown = await ask(scene.console.port, path, { from, headers: headersOf(viewer.token) });
  attempts.control('a viewer sees the queues', shown.status, 200);
  for (const act of [
    '',
    '/credit',
    '/credit/jobs',
    '/credit/pause',
    '/credit/empty',
    '/credit/add',
    '/credit/1/retry',
    '/dead/clean',
    '/pause',
  ])
    for (const method of ['PUT', 'POST', 'PATCH', 'DELETE'])
      for (const { role, token } of [viewer, operator]) {
        for (const at of [path, '/console/queues', '/console/queues/api/queues']) {
          const { status, json } = await ask(scene.console.port, at + act, {
            method,
            from,
            body: { name: 'claim', data: {} },
            headers: headersOf(token),
          });
          attempts.refused(
            `${method} ${at}${act} by somebody with the role ${role}`,
            `${status} ${String(json?.['code'])}`,
            '404 not_found',
          );
        }
      }
  for (const header of ['x-http-method-override', 'x-method-override', 'x-http-method'])
    await ask(scene.console.port, `${path}/credit/pause`, {
      from,
      headers: { ...headersOf(operator.token), [header]: 'PUT' },
    });
  for (const at of [
    path,
    `${path}/credit/jobs`,
    `${path}/`,
    `/api/console//queues`,
    '/api/console/%71ueues',
    '/API/console/queues',
    '/console/queues/api/queues',
  ])
    attempts.refused(
      `${at} without a sign-in`,
      (await ask(scene.console.port, at, { from, headers: { accept: 'application/json' } })).status,
      [401, 404],
    );
  const former = await ask(scene.console.port, '/console/queues//evil.example', { from });
  attempts.refused('a way from the former address to elsewhere', String(former.headers['location'] ?? 'none'), 'none');
  attempts.control(
    'the queues are as before',
    stateOf(await ask(scene.console.port, path, { from, headers: headersOf(operator.token) })),
    stateOf(shown),
  );
}

async function gateway(scene: Scene, attempts: Attempts, from: string): Promise<void> {
  const saleId = await scene.sale();
  const ann = await playerOf(scene, 'path-ann', { from });
  attempts.control('a sale at its path', (await ann.request(`/v1/sales/${saleId}`)).status, 200);
  const odd = [
    '/v1/',
    '/v1//sales',
    `/v1//sales/${saleId}`,
    `/v1/sales/${saleId}/`,
    `/v1/sales/${saleId}//buy`,
    `/v1/sales/../sales/${saleId}`,
    `/V1/sales/${saleId}`,
    `/v1/SALES/${saleId}`,
    `/v1/sales/%2e%2e`,
    `/v1/sales/${saleId}%2f`,
    `/v1/sales/${saleId}%00`,
    `/v1/sales/${saleId};x`,
    `/v1/orders/..%2f${saleId}-1`,
    `/v1/orders/${saleId}-1/..`,
    '/v1/orders/',
    '/v1/orders/x',
    '/v1/orders/-1',
    '/../v1',
    '/v1/../healthz',
    '/metrics',
    '/etc/passwd',
    '/..%2f..%2fetc/passwd',
    `/v1/sales/${'a'.repeat(2_000)}`,
  ];
  for (const path of odd) attempts.refused(`${path} at the gateway`, (await ann.request(path)).status, [400, 404]);
  for (const method of METHODS)
    attempts.refused(
      `${method} of a sale at the gateway`,
      (await ann.request(`/v1/sales/${saleId}`, { method, headers: { 'content-length': '0' } })).status,
      [400, 404, 405],
    );
  attempts.refused(
    'CONNECT at the gateway',
    statuses(
      await exchange(scene.gateway.port, 'CONNECT 127.0.0.1:22 HTTP/1.1\r\nHost: 127.0.0.1:22\r\n\r\n', { from }),
    ),
    ['', '400', '404', '405'],
  );
}
