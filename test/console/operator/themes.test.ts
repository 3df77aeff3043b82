import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { THEME_FILE_BYTES_MAX } from '../../../src/rain/theme/files.ts';
import { openTestConsole, type TestConsole, type Visitor } from '../../support/servers/testConsole.ts';
import { pngOf } from '../../support/png.ts';
import { png, sound } from '../../support/themeFiles.ts';

const PICTURE = pngOf(8, 8, [200, 30, 40]);
const PATH = '/api/console/themes';

let testConsole: TestConsole;
let opal: Visitor;
let vera: Visitor;
beforeAll(async () => {
  testConsole = await openTestConsole();
  [opal, vera] = [await testConsole.signIn('opal'), await testConsole.signIn('vera')];
  expect(await opal.ask('PUT', `${PATH}/spring`, { title: 'Spring' })).toMatchObject({ status: 200 });
});
afterAll(() => testConsole?.stop());

async function put(path: string, bytes: Uint8Array, type: string, { cookie, csrf }: Visitor = opal) {
  const answer = await fetch(testConsole.url + path, {
    method: 'PUT',
    headers: { cookie, 'x-csrf-token': csrf, ...(type !== '' && { 'content-type': type }) },
    body: new Uint8Array(bytes),
  });
  return { status: answer.status, body: (await answer.json()) as unknown };
}

test('an operator makes a theme, puts a file into it and takes it out; a viewer reads it', async () => {
  const changed = await opal.ask('PUT', `${PATH}/spring`, {
    title: 'Spring party',
    colours: { background: '#123456', accent: null },
    isDefault: true,
  });
  expect(changed).toMatchObject({
    status: 200,
    body: { id: 'spring', title: 'Spring party', colours: { background: '#123456' }, isDefault: true, files: {} },
  });
  // The browser's type of the file does not count.
  expect(await put(`${PATH}/spring/files/logo`, PICTURE, 'image/jpeg')).toMatchObject({
    status: 200,
    body: {
      files: {
        logo: { url: expect.stringMatching(/^\/api\/theme\/files\/[0-9a-f]{64}\.webp$/), type: 'image/webp' },
      },
    },
  });
  expect(
    await put(`${PATH}/spring/files/music`, sound.mp3(THEME_FILE_BYTES_MAX), 'application/octet-stream'),
    'the largest there is',
  ).toMatchObject({
    status: 200,
    body: { files: { music: { type: 'audio/mpeg', bytes: expect.any(Number) as number } } },
  });
  expect(await vera.ask('GET', PATH)).toMatchObject({
    status: 200,
    body: { themes: [{ id: 'spring', files: { logo: {}, music: {} }, changedAt: expect.any(String) }] },
  });
  expect(await put(`${PATH}/spring/files/logo`, PICTURE, 'image/png', vera)).toMatchObject({
    status: 403,
    body: { code: 'not_allowed' },
  });
  const without = await opal.ask('DELETE', `${PATH}/spring/files/logo`);
  expect([without.status, Object.keys((without.body as { files: object }).files)]).toEqual([200, ['music']]);
  await opal.ask('PUT', `${PATH}/gone`, { title: 'Gone' });
  expect(await opal.ask('DELETE', `${PATH}/gone`)).toMatchObject({ status: 200, body: { removed: true } });
  expect(await opal.ask('DELETE', `${PATH}/gone`)).toMatchObject({
    status: 422,
    body: { refusals: [{ field: 'theme', reason: 'there is no theme gone' }] },
  });
});

describe('[R12] a file that is none is refused, and nothing is kept', () => {
  const SVG = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>');
  test.each([
    ['an SVG', 'logo', SVG, 'image/svg+xml', 422, 'refused', 'PNG, JPEG or WebP'],
    ['an SVG that says it is a PNG', 'logo', SVG, 'image/png', 422, 'refused', 'PNG, JPEG or WebP'],
    [
      'a page behind a picture',
      'logo',
      Buffer.concat([png(8, 8), Buffer.from('<script>')]),
      'image/png',
      422,
      'refused',
      'PNG, JPEG or WebP',
    ],
    ['the header of a picture', 'logo', png(8, 8), 'image/png', 422, 'refused', 'PNG, JPEG or WebP'],
    ['few bytes of many pixels', 'background', png(60_000, 60_000), 'image/png', 422, 'refused', '60000 × 60000 px'],
    [
      'a logo as large as music may be',
      'logo',
      png(8, 8, { data: Buffer.alloc(2_000_000) }),
      'image/png',
      422,
      'refused',
      'expected at most 262144',
    ],
    ['more than any file has', 'music', sound.mp3(THEME_FILE_BYTES_MAX + 1), 'audio/mpeg', 413, 'too_big', ''],
    ['nothing', 'logo', Buffer.alloc(0), 'image/png', 422, 'refused', 'PNG, JPEG or WebP'],
    ['a table', 'logo', Buffer.from('a,b'), 'text/csv', 422, 'refused', 'PNG, JPEG or WebP'],
    ['JSON', 'logo', Buffer.from('{}'), 'application/json', 400, 'bad_request', 'content-type'],
    ['a page', 'logo', Buffer.from('<script>'), 'text/html', 415, 'not_json', ''],
    ['a form', 'logo', Buffer.from('a=b'), 'multipart/form-data; boundary=x', 415, 'not_json', ''],
    ['a picture without a type', 'logo', png(8, 8), '', 415, 'not_json', ''],
    [
      'a picture of another kind',
      'favicon',
      png(8, 8),
      'image/png',
      400,
      'bad_request',
      'expected logo, sponsor, packet, background or music',
    ],
    [
      'a picture of a kind that every object has',
      'constructor',
      png(8, 8),
      'image/png',
      400,
      'bad_request',
      'expected logo, sponsor, packet, background or music',
    ],
  ] as const)('%s', async (_what, kind, bytes, type, status, code, reason) => {
    const before = await vera.ask('GET', PATH);
    expect(await put(`${PATH}/spring/files/${kind}`, bytes, type)).toMatchObject({
      status,
      body: { code, reason: expect.stringContaining(reason) as string },
    });
    expect((await vera.ask('GET', PATH)).body).toEqual(before.body);
  });

  test.each(['a%20b', '..%2f..%2fetc', '%00', '%ff', '{a}', 'a.1', '%F0%9F%A7%A7', 'x'.repeat(65), "'%3B--"])(
    'in a theme called %s',
    async (id) => {
      expect(await put(`${PATH}/${id}/files/logo`, PICTURE, 'image/png')).toMatchObject({
        status: expect.toSatisfy((status: number) => status === 400 || status === 404) as number,
      });
      expect(await opal.ask('PUT', `${PATH}/${id}`, { title: 'x' })).toMatchObject({
        status: expect.toSatisfy((status: number) => status === 400 || status === 404) as number,
      });
    },
  );
});

test('a greeting comes with a new rain, is shown, and is replaced as a whole', async () => {
  const rain = {
    id: 'greeted',
    plan: { budget: '5.00', packets: 5 },
    opensAt: Date.now() + 60_000,
    closesAt: Date.now() + 120_000,
  };
  expect(await opal.ask('POST', '/api/console/rains', { ...rain, greeting: { theme: 'none' } })).toMatchObject({
    status: 422,
    body: { refusals: [{ field: 'greeting.theme' }] },
  });
  expect(await opal.ask('POST', '/api/console/rains', { ...rain, greeting: { sender: '' } })).toMatchObject({
    status: 400,
    body: { refusals: [{ field: 'greeting.sender' }] },
  });
  expect(
    await opal.ask('POST', '/api/console/rains', { ...rain, greeting: { sender: 'Ann Li', theme: 'spring' } }),
  ).toMatchObject({ status: 201 });
  expect(await vera.ask('GET', '/api/console/rains/greeted')).toMatchObject({
    body: { greeting: { sender: 'Ann Li', theme: 'spring' } },
  });
  expect(
    await opal.ask('PUT', '/api/console/rains/greeted/greeting', { blessing: 'Cheers!', sender: null }),
  ).toMatchObject({ status: 200, body: { blessing: 'Cheers!' } });
  expect((await vera.ask('GET', '/api/console/rains/greeted')).body).toMatchObject({
    greeting: { blessing: 'Cheers!' },
  });
  expect(await opal.ask('PUT', '/api/console/rains/nowhere/greeting', {})).toMatchObject({
    status: 404,
    body: { code: 'no_such_rain' },
  });
});
