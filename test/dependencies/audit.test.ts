import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { exceptions, judgeAudit } from './advisories.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const known = exceptions.parse(JSON.parse(readFileSync(new URL('./exceptions.json', import.meta.url), 'utf8')));

const NOT_AUDITED =
  'npm audit --omit=dev was SKIPPED: the registry answers no audits, so that nobody has looked for known holes';

/** The output of npm; it exits with 1 when it has found something, and when nobody answers. */
function npmAudit(): Promise<string> {
  return new Promise((resolve) => {
    execFile(
      'npm',
      ['audit', '--omit=dev', '--json', '--fetch-retries=0', '--fetch-timeout=20000'],
      { cwd: ROOT, timeout: 50_000, maxBuffer: 64e6 },
      (_, stdout) => resolve(stdout),
    );
  });
}

test('no dependency of the running system has a known hole, or why it does no harm is written down', async ({
  skip,
}) => {
  const findings = judgeAudit(await npmAudit(), known, new Date().toISOString().slice(0, 10));
  if (!findings) {
    // A skipped test is a number at the end of a run; what was not done is to be read.
    console.warn(NOT_AUDITED);
    return skip(NOT_AUDITED);
  }
  expect(findings).toEqual([]);
});

const advisory = { url: 'https://example.org/advisory-1', title: 'reads beyond its end', severity: 'high' };
const found = JSON.stringify({
  auditReportVersion: 2,
  vulnerabilities: { ws: { severity: 'high', via: [advisory] }, fastify: { severity: 'high', via: ['ws'] } },
});
const exception = {
  package: 'ws',
  advisory: advisory.url,
  why: 'what it needs is switched off here',
  until: '2100-01-01',
};

test('a hole is a finding, once, unless it is explained; the explanation runs out, and is a finding when it is not needed', () => {
  expect(judgeAudit(found, [], '2099-12-31')).toEqual([
    'ws: high, reads beyond its end (https://example.org/advisory-1)',
  ]);
  expect(judgeAudit(found, [exception], '2099-12-31')).toEqual([]);
  expect(judgeAudit(found, [exception], '2100-01-01')).toHaveLength(1);
  expect(judgeAudit(found, [{ ...exception, package: 'pg' }], '2099-12-31')).toHaveLength(2);
  expect(judgeAudit('{"auditReportVersion":2,"vulnerabilities":{}}', [exception], '2099-12-31')).toEqual([
    'ws: the exception for https://example.org/advisory-1 is not needed any more',
  ]);
  expect(judgeAudit('{"auditReportVersion":2,"vulnerabilities":{}}', [], '2099-12-31')).toEqual([]);
});

test('a registry that answers no audits is told from one that has found nothing', () => {
  expect(
    judgeAudit(
      '{"message":"405 Method Not Allowed","statusCode":405,"error":{"summary":"","detail":""}}',
      [],
      '2099-12-31',
    ),
  ).toBeUndefined();
  expect(judgeAudit('', [], '2099-12-31')).toBeUndefined();
  expect(judgeAudit('npm error network', [], '2099-12-31')).toBeUndefined();
});
