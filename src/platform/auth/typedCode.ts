/** Without letters that are taken for others. */
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
/** 50 bits: at ten thousand guesses a second somebody finds the code of one in ten thousand people after 70 days. */
const CODE_CHARACTERS = 10;

/** A code that people can read and type, from bytes of chance. @param bytes at least CODE_CHARACTERS */
export function codeOf(bytes: Uint8Array): string {
  return Array.from(bytes.subarray(0, CODE_CHARACTERS), (byte) => ALPHABET[byte % ALPHABET.length]).join('');
}

/**
 * The printed code behind the typed text: letter case, spaces and hyphens do not matter.
 * @returns `undefined`: it is no code
 */
export function codeIn(typed: string): string | undefined {
  const code = typed.toUpperCase().replace(/[\s-]/g, '').replace(/O/g, '0').replace(/[IL]/g, '1');
  return code.length === CODE_CHARACTERS && [...code].every((letter) => ALPHABET.includes(letter)) ? code : undefined;
}

/** `ABCDE-FGHJK`: as people read and type it. */
export function groupCode(code: string): string {
  return `${code.slice(0, CODE_CHARACTERS / 2)}-${code.slice(CODE_CHARACTERS / 2)}`;
}
