/** A text from outside → what it says, for a schema to judge; `undefined`: it is not JSON. Never throws. */
export function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
