import { expect, test } from 'vitest';
import { configureCommand } from '../../src/bin/context.ts';
import { explain } from '../../src/bin/exit.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';

function refusalOf(environment: Record<string, string>) {
  try {
    return configureCommand(environment);
  } catch (error) {
    return explain(error);
  }
}

test('[R12] where no system runs and none is named, one sentence says how to start or to name one', () => {
  const RAIN_HOME = temporaryFolder();
  const settings = 'start one with npm start, or set REDIS_URL, DATABASE_URL and SIGNING_SECRET';
  expect(refusalOf({ RAIN_HOME, DATABASE_URL: '' })).toEqual({
    exit: 2,
    reasons: [`no system runs in RAIN_HOME, which is ${RAIN_HOME}: ${settings}`],
  });
});

test('[R12] a system that is named in part is refused with the settings that are missing, and a wrong setting by its name', () => {
  const RAIN_HOME = temporaryFolder();
  expect(refusalOf({ RAIN_HOME, REDIS_URL: 'redis://127.0.0.1:1' })).toEqual({
    exit: 2,
    reasons: [expect.stringMatching(/^DATABASE_URL: missing/), expect.stringMatching(/^SIGNING_SECRET: missing/)],
  });
  expect(refusalOf({ RAIN_HOME, LOG_LEVEL: 'loud' })).toEqual({
    exit: 2,
    reasons: [expect.stringMatching(/^LOG_LEVEL: /)],
  });
});
