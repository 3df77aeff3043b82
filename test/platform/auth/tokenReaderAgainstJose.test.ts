import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { jwtVerify } from 'jose';
import { expect, test } from 'vitest';
import { readSignedJson } from '../../../src/platform/auth/signedJson.ts';
import { createTokenReader } from '../../../src/platform/auth/tokenReader.ts';
import { tokenKey } from '../../../src/platform/auth/token.ts';

const SECRET = 'a secret of more than thirty-two characters';
const [ISSUER, AUDIENCE] = ['https://idp.example', 'rain'];
/** Between two seconds, so that what is rounded shows. */
const NOW = Date.UTC(2026, 1, 17) + 400;
const SECONDS = Math.floor(NOW / 1_000);
const YEAR_SECONDS = 366 * 24 * 3_600;

/** The reading of a token before this reader: jose decides, then our rules of times and ids. */
async function joseReads(token: string, rules: { issuer?: string; audience?: string }): Promise<unknown> {
  const signature = token.slice(token.lastIndexOf('.') + 1);
  if (Buffer.from(signature, 'base64url').toString('base64url') !== signature) return undefined;
  try {
    const { payload } = await jwtVerify(token, tokenKey(SECRET), {
      ...rules,
      requiredClaims: ['sub', 'exp'],
      currentDate: new Date(NOW),
      // Ours for `nbf`; `exp` has none.
      clockTolerance: 120,
      algorithms: ['HS256'],
    });
    const { sub, exp, iat = 0, rains, sales } = payload as { exp: number; iat?: number } & Record<string, unknown>;
    const isNow = exp > SECONDS && exp <= NOW / 1_000 + YEAR_SECONDS && iat <= NOW / 1_000 + 120;
    if (!isNow || !areIds(rains) || !areIds(sales)) return undefined;
    return {
      subject: sub,
      expiresAt: exp * 1_000,
      ...(rains !== undefined && { rains }),
      ...(sales !== undefined && { sales }),
    };
  } catch {
    return undefined;
  }
}

const areIds = (ids: unknown) =>
  ids === undefined ||
  (Array.isArray(ids) &&
    ids.length <= 100 &&
    ids.every((id) => typeof id === 'string' && id.length > 0 && id.length <= 128));

/** Why a token is none although jose would take it. No issuer that we know of writes such tokens. */
function strictness(token: string): string | undefined {
  const parts = token.split('.');
  if (parts.some((part) => Buffer.from(part, 'base64url').toString('base64url') !== part))
    return 'padding, blanks or free bits: RFC 7515 forbids them, and one text for a token is easier to reason about';
  const [head, claims] = parts
    .slice(0, 2)
    .map((part) => JSON.parse(new TextDecoder().decode(Buffer.from(part, 'base64url'))) as Record<string, unknown>) as [
    Record<string, unknown>,
    Record<string, unknown>,
  ];
  if (
    parts
      .slice(0, 2)
      .some((part) => readSignedJson(new TextDecoder().decode(Buffer.from(part, 'base64url'))) === undefined)
  )
    return 'a name that occurs twice: jose takes the last one, other readers the first';
  if (head['crit'] !== undefined)
    return 'of critical extensions jose knows b64, which with `true` changes nothing; we know none';
  if (typeof claims['sub'] !== 'string')
    return 'jose does not look at the type of `sub`; createVerifier refused it then';
  if ([claims['iat'], claims['nbf']].includes(-Infinity))
    return 'a number that JSON.parse reads as infinite is no time';
  return undefined;
}

/** Mostly the first, so that most tokens deviate in few things, and many in none. */
const mostly = <T>(usual: T, ...others: fc.Arbitrary<unknown>[]) =>
  fc.oneof({ weight: others.length * 12, arbitrary: fc.constant<unknown>(usual) }, ...others);
const ABSENT = Symbol('absent');
const absent = fc.constant(ABSENT);
const odd = fc.oneof(fc.constantFrom<unknown>(null, true, '', 'x', 0, -1, {}, []), fc.jsonValue({ maxDepth: 2 }));
const near = (...moments: number[]) =>
  fc.constantFrom(...moments.flatMap((moment) => [-1, -0.5, 0, 0.3, 0.4, 0.5, 1].map((by) => moment + by)));
const ids = fc.oneof(
  fc.array(fc.string({ maxLength: 4 }), { maxLength: 3 }),
  fc.constantFrom(
    ['*'],
    ['x'.repeat(128)],
    ['x'.repeat(129)],
    Array.from({ length: 100 }, String),
    Array.from({ length: 101 }, String),
  ),
  odd,
);

const head = fc.record({
  alg: mostly(
    'HS256',
    absent,
    fc.constantFrom('none', 'None', 'HS384', 'HS512', 'RS256', 'ES256', 'hs256', 'HS256 ', 'toString', '__proto__'),
    odd,
  ),
  typ: mostly('JWT', absent, fc.constantFrom('jwt', 'at+jwt', 'application/jwt', 'JOSE'), odd),
  crit: mostly(ABSENT, fc.constantFrom(['b64'], ['b64', 'b64'], ['exp'], ['toString'], ['alg'], [''], [7], []), odd),
  b64: mostly(ABSENT, fc.constantFrom(true, false), odd),
  kid: mostly(ABSENT, fc.constantFrom('1'), odd),
  zip: mostly(ABSENT, fc.constantFrom('DEF')),
  jwk: mostly(ABSENT, fc.constant({ kty: 'oct', k: 'AAAA' })),
});
const claims = fc.record({
  sub: mostly('ann', absent, fc.string({ unit: 'binary' }), odd),
  exp: mostly(
    SECONDS + 3_600,
    absent,
    near(SECONDS, SECONDS + YEAR_SECONDS),
    fc.constantFrom(String(SECONDS + 60), Number.MAX_VALUE),
    odd,
  ),
  iat: mostly(SECONDS, absent, near(SECONDS + 120), fc.constantFrom(-1e9, String(SECONDS)), odd),
  nbf: mostly(ABSENT, near(SECONDS, SECONDS + 120), odd),
  iss: mostly(ISSUER, absent, fc.constantFrom(`${ISSUER}/`, [ISSUER], ISSUER.toUpperCase()), odd),
  aud: mostly(
    AUDIENCE,
    absent,
    fc.constantFrom([AUDIENCE], ['other', AUDIENCE], ['other'], [[AUDIENCE]], 'rai', 'rains', { 0: AUDIENCE }),
    odd,
  ),
  rains: mostly(ABSENT, ids),
  sales: mostly(ABSENT, ids),
});

/** The text of an object, sometimes not as JSON.stringify writes it. */
const jsonOf = (object: fc.Arbitrary<Record<string, unknown>>, twice: string) =>
  fc
    .tuple(
      object,
      mostly(
        'as it is',
        fc.constantFrom(
          'spaced',
          'twice',
          'twice the other way',
          'cut',
          'in a list',
          'twice over',
          'proto',
          'a number',
          'endless',
          'ancient',
          'deep',
          'large',
        ),
      ),
    )
    .map(([fields, how]) => {
      const text = JSON.stringify(Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== ABSENT)));
      const inner = text.slice(1, -1);
      switch (how) {
        case 'spaced':
          return JSON.stringify(JSON.parse(text), undefined, 2);
        case 'twice':
          return `{${twice}${inner && `,${inner}`}}`;
        case 'twice the other way':
          return `{${inner && `${inner},`}${twice}}`;
        case 'cut':
          return text.slice(0, -1);
        case 'in a list':
          return `[${text}]`;
        case 'twice over':
          return text + text;
        case 'proto':
          return `{"__proto__":${text}}`;
        case 'a number':
          return '7';
        case 'endless':
          return `{${inner && `${inner},`}"exp":1e999}`;
        case 'ancient':
          return `{${inner && `${inner},`}"nbf":-1e999}`;
        case 'deep':
          return `{${inner && `${inner},`}"deep":${'['.repeat(1_000)}${']'.repeat(1_000)}}`;
        case 'large':
          return `{${inner && `${inner},`}"large":"${'x'.repeat(20_000)}"}`;
        default:
          return text;
      }
    });
const bytesOf = (text: fc.Arbitrary<string>) =>
  fc
    .tuple(text, mostly('as it is', fc.constantFrom('invalid', 'overlong', 'marked', 'marked twice', 'utf16')))
    .map(([written, how]) => {
      const bytes = Buffer.from(written);
      switch (how) {
        case 'invalid':
          return Buffer.from(written.replace('ann', 'an\u00ff'), 'latin1');
        case 'overlong':
          return Buffer.from(written.replace('ann', 'an\u00c0\u00ae'), 'latin1');
        case 'marked':
          return Buffer.concat([Buffer.from('\uFEFF'), bytes]);
        case 'marked twice':
          return Buffer.concat([Buffer.from('\uFEFF\uFEFF'), bytes]);
        case 'utf16':
          return Buffer.from(written, 'utf16le');
        default:
          return bytes;
      }
    });
/** How bytes are spelled. */
const spelling = mostly(
  'as it is',
  fc.constantFrom(
    'padded',
    'padded once too often',
    'with a blank',
    'base64',
    'with free bits',
    'with a line',
    'with a letter too many',
    'not ASCII',
  ),
);
function spell(bytes: Buffer, how: unknown): string {
  const text = bytes.toString('base64url');
  switch (how) {
    case 'padded':
      return text + '='.repeat((4 - (text.length % 4)) % 4);
    case 'padded once too often':
      return `${text}=`;
    case 'with a blank':
      return `${text.slice(0, 3)} ${text.slice(3)}`;
    case 'base64':
      return bytes.toString('base64');
    case 'with free bits':
      return text.slice(0, -1) + String.fromCharCode(text.charCodeAt(text.length - 1) + 1);
    case 'with a line':
      return `${text}\n`;
    case 'with a letter too many':
      return `${text}A`;
    case 'not ASCII':
      return `${text}é`;
    default:
      return text;
  }
}

const signer = mostly(
  'HS256',
  fc.constantFrom('another key', 'HS384', 'HS512', 'nothing', 'zeros', 'cut', 'doubled', 'another text'),
);
function signatureOf(text: string, how: unknown): Buffer {
  const under = (hash: string, key = SECRET, of = text) => createHmac(hash, key).update(of).digest();
  switch (how) {
    case 'another key':
      return under('sha256', `${SECRET}!`);
    case 'HS384':
      return under('sha384');
    case 'HS512':
      return under('sha512');
    case 'nothing':
      return Buffer.alloc(0);
    case 'zeros':
      return Buffer.alloc(32);
    case 'cut':
      return under('sha256').subarray(0, 31);
    case 'doubled':
      return Buffer.concat([under('sha256'), under('sha256')]);
    case 'another text':
      return under('sha256', SECRET, `${text} `);
    default:
      return under('sha256');
  }
}

const token = fc
  .tuple(
    bytesOf(jsonOf(head, '"alg":"none"')),
    bytesOf(jsonOf(claims, '"sub":"bob"')),
    signer,
    spelling,
    spelling,
    spelling,
  )
  .map(([headBytes, claimBytes, signedAs, ...spelled]) => {
    const text = `${spell(headBytes, spelled[0])}.${spell(claimBytes, spelled[1])}`;
    return `${text}.${spell(signatureOf(text, signedAs), spelled[2])}`;
  });
/** A token of which somebody has changed single characters on its way. */
const damaged = fc
  .tuple(
    token,
    fc.array(
      fc.tuple(
        fc.nat(),
        fc.constantFrom('cut', 'put', 'replace', 'double', 'end'),
        fc.constantFrom(...Array.from('Aaz09-_.=+/ é\u0141\u0000')),
      ),
    ),
    fc.boolean(),
  )
  .map(([text, changes]) =>
    changes.reduce((before, [at, how, letter]) => {
      const i = at % (before.length + 1);
      const rest = {
        cut: before.slice(i + 1),
        put: letter + before.slice(i),
        replace: letter + before.slice(i + 1),
        double: before.slice(Math.max(0, i - 1)),
        end: '',
      }[how];
      return before.slice(0, i) + rest;
    }, text),
  );

test('[R9] a token in HS256 is for this reader what it is for jose, whatever is odd about its head, claims, bytes, spelling or signature', async () => {
  const seen = { taken: 0, refused: 0 };
  await fc.assert(
    fc.asyncProperty(
      fc.oneof({ weight: 4, arbitrary: token }, damaged),
      fc.constantFrom<{ issuer?: string; audience?: string }>(
        {},
        { issuer: ISSUER },
        { audience: AUDIENCE },
        { issuer: ISSUER, audience: AUDIENCE },
      ),
      async (text, rules) => {
        const [ours, theirs] = [
          await createTokenReader({ secret: SECRET, ...rules }, () => NOW)(text),
          await joseReads(text, rules),
        ];
        seen[ours ? 'taken' : 'refused']++;
        const reason = theirs === undefined ? undefined : strictness(text);
        expect(ours).toEqual(reason === undefined ? theirs : undefined);
      },
    ),
    { numRuns: 5_000 },
  );
  // Otherwise the tokens above do not ask what they are there to ask.
  expect(seen.taken).toBeGreaterThan(800);
  expect(seen.refused).toBeGreaterThan(800);
}, 60_000);

const partOf = (json: string) => Buffer.from(json).toString('base64url');
const signed = (text: string) => `${text}.${signatureOf(text, 'HS256').toString('base64url')}`;
const PLAIN = signed(`${partOf('{"alg":"HS256"}')}.${partOf(`{"sub":"ann","exp":${SECONDS + 60}}`)}`);

test.each([
  [
    'a head that is padded',
    signed(`${partOf('{"alg":"HS256" }')}==.${partOf(`{"sub":"ann","exp":${SECONDS + 60}}`)}`),
    /padding/,
  ],
  [
    'claims with a blank',
    signed(`${partOf('{"alg":"HS256"}')}.${partOf(`{"sub":"ann","exp":${SECONDS + 60}}`).replace(/^.../, '$& ')}`),
    /padding/,
  ],
  [
    'the extension b64 that changes nothing',
    signed(`${partOf('{"alg":"HS256","crit":["b64"],"b64":true}')}.${partOf(`{"sub":"ann","exp":${SECONDS + 60}}`)}`),
    /crit/,
  ],
  [
    'a subject that is a number',
    signed(`${partOf('{"alg":"HS256"}')}.${partOf(`{"sub":7,"exp":${SECONDS + 60}}`)}`),
    /sub/,
  ],
  [
    'an infinite time',
    signed(`${partOf('{"alg":"HS256"}')}.${partOf(`{"sub":"ann","exp":${SECONDS + 60},"nbf":-1e999}`)}`),
    /infinite/,
  ],
])('[R9] %s: jose takes it, and this reader does not', async (_, text, reason) => {
  expect([await joseReads(text, {}), strictness(text)]).toEqual([expect.anything(), expect.stringMatching(reason)]);
  expect(await createTokenReader({ secret: SECRET }, () => NOW)(text)).toBeUndefined();
});

test('[R9] no character of a token can be another one', async () => {
  const read = createTokenReader({ secret: SECRET }, () => NOW);
  expect(await read(PLAIN)).toEqual({ subject: 'ann', expiresAt: (SECONDS + 60) * 1_000 });
  const taken: string[] = [];
  // A character of another block, whose low byte is the right one, is what a comparison in latin1 would take.
  for (let i = 0; i < PLAIN.length; i++)
    for (const other of ['A', 'b', '_', '.', '=', '+', String.fromCharCode(PLAIN.charCodeAt(i) + 0x100)]) {
      const changed = PLAIN.slice(0, i) + other + PLAIN.slice(i + 1);
      if (changed !== PLAIN && (await read(changed))) taken.push(changed);
    }
  expect(taken).toEqual([]);
});

test('[R9] nobody verifies with an empty secret, which everybody knows', () => {
  expect(() => createTokenReader({ secret: '' }, () => NOW)).toThrow(/needs a secret/);
});

test('[R9] without a clock no token is valid', async () => {
  for (const now of [NaN, Infinity, -Infinity, 0])
    expect(await createTokenReader({ secret: SECRET }, () => now)(PLAIN)).toBeUndefined();
});
