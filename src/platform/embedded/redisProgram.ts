import { spawnSync } from 'node:child_process';

/** In this order of preference. */
export const REDIS_PROGRAMS = ['redis-server', 'valkey-server'] as const;

/**
 * @returns its version such as `7.0.15`, empty when it does not tell; `undefined` when none of the programs is on the
 * PATH
 */
export function findRedis(): { program: string; version: string } | undefined {
  for (const program of REDIS_PROGRAMS) {
    const { error, stdout } = spawnSync(program, ['--version'], { encoding: 'utf8' });
    if (!error) return { program, version: / v=(\d+(?:\.\d+)*)/.exec(stdout)?.[1] ?? '' };
  }
  return undefined;
}
