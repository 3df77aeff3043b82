import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseEnv } from 'node:util';
import { expect, test } from 'vitest';
import { loadConfig } from '../../src/platform/config.ts';
import { SERVER_DEADLINE_MS } from '../../src/platform/process/shutdown.ts';
import { rain } from '../support/call.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';

const FOLDER = fileURLToPath(new URL('../../deploy/systemd/', import.meta.url));
const units = readdirSync(FOLDER).filter((name) => name.endsWith('.service'));
const read = (name: string): string => readFileSync(join(FOLDER, name), 'utf8');
const without = spawnSync('systemd-analyze', ['--version']).status !== 0;

test('there is a unit for each server, each with a command that there is', async () => {
  expect(units).toEqual(['rain-console.service', 'rain-gateway.service', 'rain-worker.service']);
  for (const name of units) {
    const [, verb] = /^ExecStart=\/usr\/bin\/node dist\/bin\/rain\.js (\w+)/m.exec(read(name))!;
    expect((await rain([verb!, '--help'])).stdout, name).toContain(`Usage: rain ${verb}`);
  }
});

test('a unit waits longer for the end of a server than that may take', () => {
  for (const name of units) {
    const [, seconds] = /^TimeoutStopSec=(\d+)s$/m.exec(read(name))!;
    expect(Number(seconds) * 1_000, name).toBeGreaterThan(SERVER_DEADLINE_MS + 2_000);
  }
});

test.skipIf(without)('systemd understands every word of them', () => {
  const folder = temporaryFolder();
  for (const name of units) {
    // Its Node may lie elsewhere here; the path of the one that runs this test is as good.
    writeFileSync(join(folder, name), read(name).replace('/usr/bin/node', process.execPath));
    const { status, stderr } = spawnSync('systemd-analyze', ['verify', '--man=no', join(folder, name)], {
      encoding: 'utf8',
    });
    expect([status, stderr.split('\n').filter((line) => line.includes(name))], name).toEqual([0, []]);
  }
});

test('the example of an environment is one that the servers take', () => {
  const env = parseEnv(read('environment.example'));
  expect(loadConfig(['REDIS_URL', 'DATABASE_URL', 'JWT'], env)).toMatchObject({
    TRUSTED_PROXIES: 1,
    ALLOWED_ORIGINS: ['https://rain.example.com'],
  });
});
