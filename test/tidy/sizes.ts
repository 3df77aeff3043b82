import type { SourceFile, Violation } from './sourceFile.ts';

const LINES_MAX = 400;
const MEDIAN_BELOW = 100;

/** STYLE 11: no file is long, and most are short. */
export function longFiles(files: readonly SourceFile[]): Violation[] {
  const sized = files.map(({ path, text }) => ({ path, lines: text.trimEnd().split('\n').length }));
  const long = sized
    .filter(({ lines }) => lines > LINES_MAX)
    .map(
      ({ path, lines }) =>
        `${path} has ${lines} lines, at most ${LINES_MAX} are allowed: a second noun wants a file of its own`,
    );
  const sorted = sized.map(({ lines }) => lines).sort((a, b) => a - b);
  const median = sorted[Math.floor(sorted.length / 2)] ?? 0;
  return median < MEDIAN_BELOW
    ? long
    : [...long, `half of the files have ${median} lines or more, ${MEDIAN_BELOW} is the limit: split by nouns`];
}
