/** A test that failed, or a fault outside of the tests of a file. */
export interface Failure {
  /** Unknown of an error that nothing caught. */
  file: string | undefined;
  title: string;
  /** Messages of all its errors, with the lines in which their values differ. */
  messages: string[];
}

/** Numbers of tests. */
interface Counts {
  passed: number;
  skipped: number;
}

/** The outcome of one run of vitest, as its reporter writes it. */
export interface RunRecord {
  files: Record<string, Counts>;
  failures: Failure[];
}

/** The environment variable with the path of the file that the reporter writes a `RunRecord` to. */
export const RECORD_VARIABLE = 'RAIN_RUN_RECORD';

const REPEATED_MAX = 3;

/** Invariants of money and goods, and the words in which tests say that one was broken. */
const MONEY = new RegExp(
  [
    String.raw`\[R(?:1|2|3|4|5|6|8|13|14)\]`,
    String.raw`\b(?:money|goods|lost|los(?:es?|ing)|doubled?|duplicates?|twice|untold|untrue|invent\w*|vanish\w*)\b`,
    String.raw`\b(?:(?:un|over|under)?paid|pay(?:s|ing|ment\w*|outs?)?|credit\w*|refund\w*|cents|balances?|budget\w*)\b`,
    String.raw`\b(?:oversold|sold|stolen)\b`,
    String.raw`\b(?:never|not|already) (?:told|won)\b|\bfalse no\b|\bnothing left\b|\bexactly once\b`,
  ].join('|'),
  'i',
);

/** Such a failure is final: a second run that passes proves nothing about money that has gone. */
export function speaksOfMoney({ title, messages }: Failure): boolean {
  return [title, ...messages].some((text) => MONEY.test(text));
}

/** Files that run a second time after this run; none where the failure of one of them is final, or too many failed. */
export function filesToRepeat({ failures }: RunRecord): string[] {
  const files = new Set(failures.map(({ file }) => file));
  if (files.has(undefined) || files.size > REPEATED_MAX || failures.some(speaksOfMoney)) return [];
  return [...files] as string[];
}

/**
 * The outcome after some files ran once more: of these the second run counts. `flaky` are failures of files that passed
 * then. A file that the second run did not reach has failed still.
 */
export function afterRepeat(first: RunRecord, second: RunRecord): { record: RunRecord; flaky: Failure[] } {
  const missing = first.failures.filter(({ file }) => second.files[file!] === undefined);
  const failures = [...missing, ...second.failures];
  const failed = new Set(failures.map(({ file }) => file));
  return {
    record: { files: { ...first.files, ...second.files }, failures },
    flaky: first.failures.filter(({ file }) => !failed.has(file)),
  };
}

export function countsOf({ files, failures }: RunRecord): Counts & { failed: number } {
  const sum = (count: keyof Counts) => Object.values(files).reduce((all, counts) => all + counts[count], 0);
  return { passed: sum('passed'), failed: failures.length, skipped: sum('skipped') };
}

/** A failure in a line, for people. */
export function lineOf({ file, title, messages }: Failure): string {
  const name = [file, title].filter(Boolean).join(' > ');
  return `${name}: ${messages[0]?.slice(0, 600) ?? 'it never ran'}`;
}

/** The failures, then the counts: last, because the end of a long run is read first, and often alone. */
export const closingLines = (record: RunRecord): string[] => [
  ...record.failures.map((failure) => `FAILED ${lineOf(failure)}`),
  summaryOf(record),
];

/** The line for machines, `N passed, N failed[, N skipped]`. */
export function summaryOf(record: RunRecord): string {
  const { passed, failed, skipped } = countsOf(record);
  return `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
}
