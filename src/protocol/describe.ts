import { CLOSES, ERRORS, OUTCOMES_IN_ORDER, REFUSALS } from './outcomes.ts';

/** The page of codes as data: what `rain codes --json` prints. */
export function codes() {
  return { results: OUTCOMES_IN_ORDER, errors: Object.values(ERRORS), closes: Object.values(CLOSES), refusals: Object.values(REFUSALS) };
}

/** The page of codes as the README shows it, in Markdown. Results stand in order of precedence. */
export function codesMarkdown(): string {
  const { results, errors, closes, refusals } = codes();
  return [
    '| `result` code | reason | meaning | ask again |', '|---|---|---|---|',
    ...results.map(({ code, reason, meaning, retry }) => `| \`${code}\` | ${reason} | ${meaning} | ${retry} |`),
    '', `\`error\` codes: ${errors.map(({ code }) => `\`${code}\``).join(', ')}. A message that was not understood changed nothing.`,
    '', `Close codes: ${closes.map(({ code, reason, retry }) => `${code} ${reason} (${retry})`).join('; ')}.`,
    '', `Refused at the upgrade: ${refusals.map(({ status, reason }) => `${status} ${reason}`).join('; ')}.`,
  ].join('\n');
}
