/** Letters of other alphabets, and digits, that look like Latin letters; by the letter that they look like. */
const LOOKS: Readonly<Record<string, string>> = {
  a: 'аαɑ@4',
  b: 'ЬвʙƄ8',
  c: 'сϲ',
  d: 'ԁ',
  e: 'еєεҽ3',
  g: 'ɡԍ9',
  h: 'һнʜ',
  i: 'іıιl1|!ӏ',
  j: 'јϳ',
  k: 'кκ',
  m: 'мʍ',
  n: 'ոпη',
  o: 'оοσօ0',
  p: 'рρ',
  q: 'ԛ',
  r: 'гʀ',
  s: 'ѕ5$',
  t: 'тτ7',
  u: 'υսμ',
  v: 'ѵν',
  w: 'ԝшω',
  x: 'хχ',
  y: 'уγү',
  z: 'ᴢ2',
};
const LATIN = new Map(Object.entries(LOOKS).flatMap(([latin, like]) => [...like].map((letter) => [letter, latin])));

/** One text for all names that a reader would take for the same: without marks, blanks, signs, case and alphabets. */
export function lookOf(name: string): string {
  const plain = name.normalize('NFKD').toLowerCase().replace(/\p{M}/gu, '');
  return [...plain]
    .map((letter) => LATIN.get(letter) ?? letter)
    .join('')
    .replace(/[^\p{L}\p{N}]/gu, '');
}

/** Words by which the people who run an event call themselves. A guest with such a name would be believed. */
const STAFF = new Set(
  'admin administrator organizer organiser moderator official operator staff support host'.split(' ').map(lookOf),
);
/** The same where words have no spaces between them, so a part of a name. */
const STAFF_PARTS = /主办方|主辦方|主持人|工作人[员員]|管理[员員]|操作[员員]|官方|客服|系[统統]/u;

export function looksLikeStaff(name: string): boolean {
  const words = [name, ...name.split(/[^\p{L}\p{M}\p{N}@$!|]+/u)].map((word) => lookOf(word.replace(/^\d+|\d+$/g, '')));
  return words.some((word) => STAFF.has(word)) || STAFF_PARTS.test(lookOf(name));
}
