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
  ...`password1 correcthorsebatterystaple thequickbrown quickbrownfox jumpsoverthelazydog tobeornottobe hunter2 trustno1 ncc1701 maythe4thbewithyou maytheforcebewithyou lamborghini porsche manchester
    juventus realmadrid testing test temp demo user manager support service system passwd pass word
    pwd geheim hallo schatz sommer fruehling herbst bonjour soleil jetaime azerty senha teamo amor
    contraseña clave zhangwei woaiwojia nihao wodemima 我爱你 新年快乐 恭喜发财 春天 夏天 office london berlin
    paris beijing shanghai china january february march april june july august september october november
    december tuesday wednesday thursday friday saturday sunday christmas birthday happy lucky money business matrix
    phoenix hunter eagle tiger panda silver golden purple orange banana apple coffee pizza changeit
    nothing please money1 celebration event party newyear flashsale qwer asdf zxcv a1b2c3d4 a1b2c3 q1w2e3`.split(/\s+/),
];

/** Longer words first: a shorter one inside would leave the rest of a longer one behind. */
const WORDS = USUAL.toSorted((a, b) => b.length - a.length);
/** Signs and digits that people write for letters. */
const LEET: Readonly<Record<string, string>> = {
  '@': 'a',
  4: 'a',
  3: 'e',
  1: 'i',
  '!': 'i',
  0: 'o',
  $: 's',
  5: 's',
  7: 't',
};
/** A digit with Shift on most keyboards. */
const SHIFTED: Readonly<Record<string, string>> = Object.fromEntries(
  Array.from('!@#$%^&*()').map((sign, i) => [sign, String((i + 1) % 10)]),
);

/** Neighbours on a keyboard and in the alphabet; backwards, too. */
const ROWS = [
  'abcdefghijklmnopqrstuvwxyz',
  '01234567890',
  'qwertyuiop[]',
  'qwertzuiop',
  'azertyuiop',
  "asdfghjkl;'",
  'zxcvbnm,./',
  // Columns, which people type one after another.
  '1qaz2wsx3edc4rfv5tgb6yhn7ujm8ik,9ol.',
  'zaq1xsw2cde3vfr4bgt5nhy6mju7',
  '1q2w3e4r5t6y7u8i9o0p',
  'q1w2e3r4t5y6u7i8o9p0',
  'a1b2c3d4e5f6g7h8i9',
  '1a2b3c4d5e6f7g8h9i',
];
const RUN_MIN = 3;
/** A password needs this much that nobody can look up. */
const OWN_CHARACTERS_MIN = 4;

/**
 * Whether nearly all of it is usual words, the given names, runs such as `4567` or `qwert`, and repetition: as it is
 * typed, with signs for letters, or with Shift for digits.
 */
export function isUsual(password: string, names: readonly string[]): boolean {
  const plain = password.normalize('NFKC').toLowerCase();
  const own = names.map((name) => name.toLowerCase()).filter(({ length }) => length >= RUN_MIN);
  const spelled = (text: string, signs: Readonly<Record<string, string>>) =>
    [...text].map((letter) => signs[letter] ?? letter).join('');
  // A year at the end is no letters.
  const core = plain.replace(/[^\p{L}]+$/u, '');
  const spellings = [plain, spelled(plain, SHIFTED), spelled(plain, LEET), spelled(core || plain, LEET)];
  return spellings.some((spelling) =>
    [spelling, spelling.replace(/[\s._-]+/g, '')].some((text) => isLeftOver(text, own)),
  );
}

/** Whether nearly nothing is left without them. */
function isLeftOver(text: string, names: readonly string[]): boolean {
  let rest = text;
  for (const word of [...names, ...WORDS]) rest = rest.replaceAll(word, ' ');
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
