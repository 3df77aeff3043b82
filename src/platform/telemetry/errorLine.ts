const CHARACTERS_MAX = 300;

/** Parts of other sides' errors that nobody may read: passwords in addresses, tokens. */
const SECRETS: readonly (readonly [RegExp, string])[] = [
  [/:\/\/\S*@/g, '://…@'],
  [/([?&](?:\w*(?:password|token|secret|signature|key))=)[^&\s]*/gi, '$1…'],
  [/\b(bearer|basic)\s+\S+/gi, '$1 …'],
  [/\beyJ[\w-]*\.[\w-]*\.?[\w-]*/g, '…'],
  [/\b(rop|rain)_[\w-]{16,}/g, '$1_…'],
];

/** An error as one line for people: without line breaks and secrets, and cut. */
export function errorLine(text: string): string {
  const line = SECRETS.reduce((told, [secret, instead]) => told.replace(secret, instead), text)
    .replace(/[\p{Cc}\s]+/gu, ' ')
    .trim();
  const characters = [...line];
  return characters.length > CHARACTERS_MAX ? `${characters.slice(0, CHARACTERS_MAX - 1).join('')}…` : line;
}
