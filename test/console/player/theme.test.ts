import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createThemeReader } from '../../../src/console/player/theme.ts';
import { startConsole, type Console } from '../../../src/console/server.ts';
import type { BookedTheme } from '../../../src/ledger/themes.ts';
import { setGreeting, setTheme, setThemeFile } from '../../../src/operator/themes.ts';
import { keepItemPicture } from '../../../src/operator/sale/picture.ts';
import { itemPicturePath } from '../../../src/sale/picture.ts';
import { checkThemeFile } from '../../../src/rain/theme/files.ts';
import { createTokenReader } from '../../../src/platform/auth/tokenReader.ts';
import type { Named } from '../../../src/platform/auth/token.ts';
import { createLog } from '../../../src/platform/telemetry/log.ts';
import { newRain } from '../../ledger/claims.ts';
import { SECRET, tokenFor } from '../../support/client.ts';
import { eventually } from '../../support/eventually.ts';
import { openTestContext, type TestContext } from '../../support/operatorContext.ts';
import { pngOf } from '../../support/png.ts';
import { sound } from '../../support/themeFiles.ts';

const MUSIC = sound.mp3();
const END = MUSIC.length;
const SHA256 = 'ab'.repeat(32);

let folder: string;
let context: TestContext;
let served: Console;
let now = 0;
let files: Record<string, string>;

const start = (themes = createThemeReader(context.ledger, () => now)) =>
  startConsole({
    host: '127.0.0.1',
    port: 0,
    gatewayUrl: 'ws://127.0.0.1:8687/v1',
    pageFolder: folder,
    log: createLog('console', 'silent'),
    theme: {
      themes,
      readToken: createTokenReader({ secret: SECRET }, Date.now),
      allowedOrigins: ['https://app.example'],
    },
  });

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'rain-test-theme-'));
  writeFileSync(join(folder, 'index.html'), '<!doctype html>');
  context = await openTestContext();
  await context.ledger.createRain(newRain('r1', 100n), 'ann');
  await context.ledger.createRain(newRain('r2', 100n), 'ann');
  await context.ledger.createRain(newRain('invited', 100n, { terms: { invitedOnly: true } }), 'ann', false, {
    greeting: { sender: 'Ann Li' },
  });
  await setTheme(context, { id: 'usual', title: 'Usual', colours: { background: '#123456' }, isDefault: true });
  await setTheme(context, { id: 'own', title: 'Own' });
  await setThemeFile(context, 'own', 'logo', pngOf(8, 8, [200, 30, 40]));
  await setThemeFile(context, 'own', 'music', MUSIC);
  await setGreeting(context, 'r1', { sender: 'Ann Li', blessing: '恭喜发财', theme: 'own' });
  served = await start();
  files = (await get('/api/theme?rain=r1')).body.theme!.files as Record<string, string>;
});
afterAll(async () => {
  await served.close();
  await context.stop();
  rmSync(folder, { recursive: true, force: true });
});

async function get(path: string, headers: Record<string, string> = {}, url = served.url) {
  const answer = await fetch(url + path, { headers });
  return {
    status: answer.status,
    headers: answer.headers,
    body: (await answer.json()) as { sender?: string; theme?: { id: string; files: object } },
  };
}

describe('the look of a rain', () => {
  test('is its own theme with what the host says, for everybody', async () => {
    const { status, headers, body } = await get('/api/theme?rain=r1', { origin: 'https://app.example' });
    expect([status, headers.get('cache-control'), headers.get('access-control-allow-origin')]).toEqual([
      200,
      'public, max-age=1',
      'https://app.example',
    ]);
    expect(body).toEqual({
      sender: 'Ann Li',
      blessing: '恭喜发财',
      theme: {
        id: 'own',
        colours: {},
        files: {
          logo: expect.stringMatching(/^api\/theme\/files\/[0-9a-f]{64}\.webp$/),
          music: expect.stringMatching(/^api\/theme\/files\/[0-9a-f]{64}\.mp3$/),
        },
      },
    });
    expect(
      (await get('/api/theme', { origin: 'https://other.example' })).headers.get('access-control-allow-origin'),
    ).toBeNull();
  });

  test('is the default theme where a rain has none, for a rain that there is not or that is by invitation, and without a rain', async () => {
    for (const path of ['/api/theme', '/api/theme?rain=r2', '/api/theme?rain=nowhere', '/api/theme?rain=invited'])
      expect((await get(path)).body, path).toEqual({
        theme: { id: 'usual', colours: { background: '#123456' }, files: {} },
      });
  });

  test('[R12] is told of one rain, by its id', async () => {
    for (const query of ['rain=a%20b', 'rain=', 'rain=r1&rain=r2', 'theme=own', 'rain=..%2f'])
      expect(await get(`/api/theme?${query}`), query).toMatchObject({ status: 400, body: { code: 'bad_request' } });
  });

  test('is another one a second after it was changed', async () => {
    await setGreeting(context, 'r2', { sender: 'Ben', theme: 'own' });
    expect((await get('/api/theme?rain=r2')).body).not.toHaveProperty('sender');
    now += 1_001;
    expect((await get('/api/theme?rain=r2')).body).toMatchObject({ sender: 'Ben', theme: { id: 'own' } });
  });
});

/** As one who may see what these claims name. */
const bearing = async (named: Named, expiresInSeconds = 60) => ({
  authorization: `Bearer ${await tokenFor('guest', expiresInSeconds, named)}`,
});
const DEFAULT_LOOK = { theme: { id: 'usual', colours: { background: '#123456' }, files: {} } };
/** Headers that change with the time and the number of requests, for everybody. */
const CHANGING = new Set(['date', 'x-ratelimit-remaining', 'x-ratelimit-reset', 'x-request-id']);
const everything = ({ status, headers, body }: Awaited<ReturnType<typeof get>>) => ({
  status,
  headers: [...headers].filter(([name]) => !CHANGING.has(name)),
  body,
});

describe('a rain by invitation', () => {
  test('is shown with its greeting to users whose token names it, and no cache on the way keeps that', async () => {
    const { status, headers, body } = await get(
      '/api/theme?rain=invited',
      await bearing({ rains: ['other', 'invited'] }),
    );
    expect([status, headers.get('cache-control'), headers.get('vary')]).toEqual([
      200,
      'private, max-age=1',
      'origin, authorization',
    ]);
    expect(body).toEqual({ sender: 'Ann Li', ...DEFAULT_LOOK });
    expect(
      (await get('/api/theme?rain=invited', await bearing({ rains: ['invited'], watch: true }))).body,
      'on the screen of a hall',
    ).toEqual(body);
  });

  test('looks like one that there is not to everybody else, in every header', async () => {
    const strangers = {
      'no token': {},
      'a token without claims': await bearing({}),
      'one for everything': await bearing({ rains: ['*'] }),
      'one for another rain': await bearing({ rains: ['r1'] }),
      'one for a sale of that id': await bearing({ sales: ['invited'] }),
      'one that has run out': await bearing({ rains: ['invited'] }, -60),
      'no JWT': { authorization: 'Bearer invited' },
      'another scheme': { authorization: 'Basic aW52aXRlZA==' },
    };
    for (const [who, headers] of Object.entries(strangers)) {
      const answer = await get('/api/theme?rain=invited', headers);
      expect(answer.body, who).toEqual(DEFAULT_LOOK);
      expect(everything(answer), who).toEqual(everything(await get('/api/theme?rain=nowhere', headers)));
    }
  });

  test('does not come to light by the limit, nor by how often it is read, after an invited user has asked for it', async () => {
    const reads = { public: 0, invited: 0 };
    const another = await start({
      greeting: async () => {
        reads.public++;
        return undefined;
      },
      invitedGreeting: async () => {
        reads.invited++;
        return { sender: 'Ann Li' };
      },
      show: async ({ sender } = {}) => ({ ...(sender !== undefined && { sender }) }),
      file: async () => undefined,
    });
    try {
      const guest = await bearing({ rains: ['invited'] });
      expect((await get('/api/theme?rain=invited', guest, another.url)).body).toEqual({ sender: 'Ann Li' });
      for (let n = 0; n < 60; n++) await get(`/api/theme?rain=invented-${n}`, {}, another.url);
      for (const rain of ['invited', 'nowhere'])
        expect(await get(`/api/theme?rain=${rain}`, await bearing({ rains: ['r1'] }), another.url), rain).toMatchObject(
          { status: 200, body: {} },
        );
      expect(
        (await get('/api/theme?rain=invited', guest, another.url)).body,
        'what others behind this address invented keeps no invited user out',
      ).toEqual({ sender: 'Ann Li' });
      expect(reads).toEqual({ public: 62, invited: 2 });
    } finally {
      await another.close();
    }
  });

  test('is not read at all for strangers in another way than one that there is not', async () => {
    const reads: string[] = [];
    const noting =
      <T>(name: string, found: T) =>
      async (id: string) => {
        reads.push(`${name} ${id}`);
        return found;
      };
    const another = await start(
      createThemeReader(
        {
          themes: async () => [],
          themeFile: async () => undefined,
          itemPictures: async () => new Set<string>(),
          itemPicture: async () => undefined,
          greeting: noting('invited', {}),
          publicGreeting: noting('public', undefined),
        },
        () => now,
      ),
    );
    try {
      for (const at of [0, 1_001]) {
        now += at;
        await get('/api/theme?rain=invited', await bearing({ rains: ['invited'] }), another.url);
        for (const rain of ['invited', 'nowhere']) await get(`/api/theme?rain=${rain}`, {}, another.url);
      }
      expect(reads.sort()).toEqual(['invited invited', 'invited invited', 'public invited', 'public nowhere']);
    } finally {
      await another.close();
    }
  });
});

test('a picture of an item is served as a file of a theme is; of another name there is none', async () => {
  const kept = await keepItemPicture({ ...context, actor: 'ann' }, pngOf(8, 8, [20, 30, 240]));
  if (!kept.ok) throw new Error('the picture was refused');
  const [answer, logo] = [await fetch(served.url + kept.picture), await fetch(`${served.url}/${files['logo']}`)];
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'image/webp']);
  for (const name of ['cache-control', 'content-security-policy', 'x-content-type-options', 'accept-ranges'])
    expect(answer.headers.get(name), name).toBe(logo.headers.get(name));
  expect((await answer.arrayBuffer()).byteLength).toBe(kept.bytes);
  expect((await fetch(`${served.url}/${itemPicturePath('0'.repeat(64))}`)).status).toBe(404);
  expect((await fetch(`${served.url}/api/sale/pictures/..%2f..%2fconfig`)).status).toBe(404);
});

describe('a file of a theme', () => {
  test('is kept by browsers for ever, runs nothing, and is what its bytes are', async () => {
    const answer = await fetch(`${served.url}/${files['logo']}`);
    expect(checkThemeFile('logo', Buffer.from(await answer.arrayBuffer()))).toEqual({ ok: true, type: 'image/webp' });
    expect(
      Object.fromEntries(
        ['content-type', 'cache-control', 'x-content-type-options', 'content-security-policy'].map((name) => [
          name,
          answer.headers.get(name),
        ]),
      ),
    ).toEqual({
      'content-type': 'image/webp',
      'cache-control': 'public, max-age=31536000, immutable',
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none'; sandbox",
    });
  });

  test.each([
    ['bytes=0-1', 206, MUSIC.subarray(0, 2), `bytes 0-1/${END}`],
    [`bytes=${END - 4}-`, 206, MUSIC.subarray(-4), `bytes ${END - 4}-${END - 1}/${END}`],
    ['bytes=-3', 206, MUSIC.subarray(-3), `bytes ${END - 3}-${END - 1}/${END}`],
    ['bytes=0-9999999', 206, MUSIC, `bytes 0-${END - 1}/${END}`],
    ['bytes=-9999', 206, MUSIC, `bytes 0-${END - 1}/${END}`],
    [`bytes=${END}-`, 416, Buffer.alloc(0), `bytes */${END}`],
    ['bytes=-0', 416, Buffer.alloc(0), `bytes */${END}`],
    ['bytes=0-1,5-6', 200, MUSIC, null],
    ['bytes=5-2', 200, MUSIC, null],
    ['bytes=-', 200, MUSIC, null],
    ['lines=0-1', 200, MUSIC, null],
    [`bytes=${'9'.repeat(30)}-`, 200, MUSIC, null],
  ])('is sent in parts, as Safari plays it: %s', async (range, status, bytes, told) => {
    const answer = await fetch(`${served.url}/${files['music']}`, { headers: { range } });
    expect([answer.status, answer.headers.get('content-range'), Buffer.from(await answer.arrayBuffer())]).toEqual([
      status,
      told,
      bytes,
    ]);
  });

  test.each(['nothing.png', `${'0'.repeat(64)}.png`, '..%2f..%2fpackage.json', '%00', '__proto__', 'x'.repeat(2_000)])(
    'that no theme has is not there: %s',
    async (name) => {
      expect([404, 414]).toContain((await get(`/api/theme/files/${name}`)).status);
    },
  );

  test('has one name: another ending is another file, which is not there', async () => {
    expect((await get(`/${files['logo']!.replace('.webp', '.html')}`)).status).toBe(404);
  });
});

describe('[R10] the ledger', () => {
  test('is read once for a thousand who open their pages at the same moment, and a file is read once', async () => {
    let reads = 0;
    const theme: BookedTheme = {
      id: 'own',
      title: 'Own',
      colours: {},
      isDefault: true,
      files: { logo: { type: 'image/png', sha256: 'ab', bytes: 1 } },
      changedAt: 0,
    };
    const themes = createThemeReader({
      themes: async () => {
        reads++;
        return [theme];
      },
      publicGreeting: async () => {
        reads++;
        return { sender: 'Ann' };
      },
      greeting: async () => ({}),
      themeFile: async () => {
        reads++;
        return Buffer.from('x');
      },
      itemPictures: async () => {
        reads++;
        return new Set([SHA256]);
      },
      itemPicture: async () => {
        reads++;
        return Buffer.from('y');
      },
    });
    await Promise.all(
      Array.from({ length: 1_000 }, async () => {
        await themes.show(await themes.greeting('r1'));
        await themes.file('api/theme/files/ab.png');
        await themes.file('api/theme/files/cd.png');
        await themes.file(itemPicturePath(SHA256));
        await themes.file(itemPicturePath('0'.repeat(64)));
      }),
    );
    expect(reads, 'themes, a greeting, a file, the list of pictures and a picture').toBe(5);
  });

  test('is asked more slowly by an address that has invented many rains, and tells it of those that are there', async () => {
    let reads = 0;
    const another = await start({
      greeting: async (rain) => {
        reads++;
        return rain === 'real' ? { sender: 'Ann Li' } : undefined;
      },
      invitedGreeting: async () => undefined,
      show: async ({ sender } = {}) => ({ ...(sender !== undefined && { sender }) }),
      file: async () => undefined,
    });
    try {
      const invented = Array.from({ length: 120 }, (_, n) => get(`/api/theme?rain=invented-${n}`, {}, another.url));
      await eventually(() => expect(reads).toBeGreaterThan(70));
      expect((await get('/api/theme?rain=real', {}, another.url)).body).toEqual({ sender: 'Ann Li' });
      expect(new Set((await Promise.all(invented)).map(({ status }) => status))).toEqual(new Set([200]));
    } finally {
      await another.close();
    }
  });

  test('that cannot be read is told as such, with a time to ask again and without the text of the error', async () => {
    const fail = () => Promise.reject(new Error('password of the database'));
    const another = await start({ greeting: fail, invitedGreeting: fail, show: fail, file: fail });
    try {
      for (const path of ['/api/theme', '/api/theme?rain=r1', '/api/theme/files/x.png']) {
        const answer = await get(path, {}, another.url);
        expect([answer.status, answer.headers.get('retry-after'), JSON.stringify(answer.body)]).toEqual([
          503,
          '2',
          expect.not.stringContaining('password'),
        ]);
      }
    } finally {
      await another.close();
    }
  });
});

test('a theme that is removed takes its files from the address', async () => {
  await context.ledger.removeTheme('own', 'ann');
  await eventually(async () => expect((await fetch(`${served.url}/${files['logo']}`)).status).toBe(404));
  now += 1_001;
  expect((await get('/api/theme?rain=r1')).body).toMatchObject({ sender: 'Ann Li', theme: { id: 'usual' } });
});
