/**
 * Parts of the most common passwords: words, and rows of a keyboard. Own list; longer ones first where one
 * holds another.
 */
const USUAL = [
  'passwort',
  'password',
  'passw0rd',
  'p@ssw0rd',
  'p@ssword',
  'motdepasse',
  'contrasena',
  'mima',
  'passphrase',
  'changeme',
  'letmein',
  'iloveyou',
  'woaini',
  'welcome',
  'whatever',
  'trustno',
  'default',
  'secret',
  'access',
  'administrator',
  'superuser',
  'operator',
  'console',
  'viewer',
  'admin',
  'root',
  'login',
  'guest',
  'server',
  'redis',
  'postgres',
  'database',
  'computer',
  'internet',
  'google',
  'facebook',
  'microsoft',
  'samsung',
  'android',
  'company',
  'football',
  'baseball',
  'basketball',
  'hockey',
  'soccer',
  'liverpool',
  'chelsea',
  'arsenal',
  'barcelona',
  'yankees',
  'superman',
  'batman',
  'spiderman',
  'pokemon',
  'starwars',
  'minecraft',
  'naruto',
  'princess',
  'sunshine',
  'butterfly',
  'monkey',
  'dragon',
  'shadow',
  'master',
  'killer',
  'tigger',
  'flower',
  'summer',
  'winter',
  'spring',
  'autumn',
  'monday',
  'freedom',
  'forever',
  'family',
  'friends',
  'chocolate',
  'cookie',
  'cheese',
  'ginger',
  'pepper',
  'diamond',
  'angel',
  'michael',
  'jordan',
  'jennifer',
  'jessica',
  'ashley',
  'charlie',
  'daniel',
  'thomas',
  'andrew',
  'matthew',
  'anthony',
  'nicole',
  'hello',
  'lovely',
  'love',
  'babygirl',
  'mustang',
  'ferrari',
  'mercedes',
  'corvette',
  'harley',
  'blink182',
  '1q2w3e4r5t6y',
  '1q2w3e4r5t',
  '1q2w3e4r',
  '1qaz2wsx3edc',
  '1qaz2wsx',
  'qazwsxedc',
  'qazwsx',
  'zaq12wsx',
  'abc123',
  '123abc',
  'q1w2e3r4t5',
  'q1w2e3r4',
  'asd123',
  'qwe123',
  'aa123456',
  '5201314',
  '1314520',
  'redpacket',
  'red-packet',
  'red packet',
  'rain',
  'hongbao',
  'hongbaoyu',
  '红包雨',
  '红包',
  '秒杀',
  '密码',
  '操作员',
];

/** Neighbours on a keyboard and in the alphabet; backwards, too. */
const ROWS = [
  'abcdefghijklmnopqrstuvwxyz',
  '01234567890',
  'qwertyuiop[]',
  'qwertzuiop',
  'azertyuiop',
  "asdfghjkl;'",
  'zxcvbnm,./',
];
const RUN_MIN = 3;
/** A password needs this much that nobody can look up. */
const OWN_CHARACTERS_MIN = 4;

/** Whether nearly all of it is usual words, the given names, runs such as `4567` or `qwert`, and repetition. */
export function isUsual(password: string, names: readonly string[]): boolean {
  let rest = password.normalize('NFKC').toLowerCase();
  for (const word of [...names.map((name) => name.toLowerCase()).filter(({ length }) => length >= RUN_MIN), ...USUAL])
    rest = rest.replaceAll(word, ' ');
  rest = withoutRuns(rest)
    .replace(/(.{1,8}?)\1{2,}/gu, ' ')
    .replace(/^(.{2,32})\1$/u, '$1');
  // A year or a date at either end is what most people add.
  const own = rest
    .replace(/[^\p{L}\p{N}]/gu, '')
    .replace(/^\d{1,4}/, '')
    .replace(/\d{1,4}$/, '');
  return [...own].length < OWN_CHARACTERS_MIN;
}

function withoutRuns(text: string): string {
  let rest = '';
  for (let at = 0; at < text.length;) {
    const length = runAt(text, at);
    rest += length >= RUN_MIN ? ' ' : text[at];
    at += length >= RUN_MIN ? length : 1;
  }
  return rest;
}

function runAt(text: string, from: number): number {
  let longest = 1;
  for (const row of ROWS) {
    for (const line of [row, [...row].reverse().join('')]) {
      let length = 1;
      for (
        let at = line.indexOf(text[from]!);
        at >= 0 && at + length < line.length && line[at + length] === text[from + length];
        length++
      );
      longest = Math.max(longest, length);
    }
  }
  return longest;
}
