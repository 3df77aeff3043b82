import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { delimiter, dirname, join, relative } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
/** Folder of the stamps and the lock. It can be removed at any time and is never committed. */
export const STATE = join(ROOT, 'dist', '.setup');

/** Files of this name and a process id stand for the commands that run. */
const COMMAND = 'command.';

/** Ends the set-up with one sentence, after the output of the failed command. */
export class SetupError extends Error {
  name = 'SetupError';
}

/** Progress goes to stderr: stdout is for the command that follows, which may print JSON. */
export function say(line) {
  process.stderr.write(`${endOfLine()}${line}\n`);
}

/** The step whose line waits for its seconds, and the steps that began, or ended, meanwhile. */
let open;
let queued = [];
const current = new Set();

function endOfLine() {
  const end = open === undefined ? '' : '\n';
  open = undefined;
  return end;
}

/**
 * Shows the line of the work, and its seconds when it is done. One line is open at a time: works beside it are told
 * after it, each once.
 */
export async function timed(line, work) {
  const step = { line };
  current.add(step);
  queued.push(step);
  if (!open) showNext();
  const started = performance.now();
  try {
    const result = await work();
    step.seconds = `${((performance.now() - started) / 1_000).toFixed(1)} s`;
    if (open === step) {
      process.stderr.write(` ${step.seconds}\n`);
      open = undefined;
    } else if (!queued.includes(step)) queued.push(step); // Something else was said meanwhile.
    if (!open) showNext();
    return result;
  } finally {
    current.delete(step);
    if (step.seconds === undefined) queued = queued.filter((one) => one !== step);
  }
}

function showNext() {
  while (!open && queued.length > 0) {
    const step = queued.shift();
    process.stderr.write(step.seconds === undefined ? step.line : `${step.line} ${step.seconds}\n`);
    if (step.seconds === undefined) open = step;
  }
}

/** Ctrl-C during the set-up. The terminal sends it to the commands as well; finished steps keep their stamps. */
export function sayWhatEnds() {
  const steps = [...current].map(({ line }) => line.replace(/ …$/, '')).join(', ');
  say(`\nended${steps && ` while ${steps}`}; the next start goes on from there.`);
}

/**
 * Shows the command's output only when it fails.
 * @param {(output: string) => string} sentence the error message then
 */
export async function run(command, args, sentence, { env = {}, quiet = false } = {}) {
  const { code, output } = await attempt(command, args, env);
  if (code === 0) return output;
  if (!quiet) process.stderr.write(`${endOfLine()}${output}`);
  throw new SetupError(sentence(output));
}

function attempt(command, args, env) {
  return new Promise((resolve) => {
    const child = spawn(command, args, {
      cwd: ROOT,
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const file = join(STATE, `${COMMAND}${child.pid}`);
    if (child.pid) stamp(file, '');
    let output = '';
    const collect = (chunk) => {
      output = (output + chunk).slice(-20_000);
    };
    child.stdout.setEncoding('utf8').on('data', collect);
    child.stderr.setEncoding('utf8').on('data', collect);
    child.once('error', (error) => resolve({ code: -1, output: `${command}: ${error.message}\n` }));
    child.once('close', (code, signal) => {
      rmSync(file, { force: true });
      // A system short of memory kills without a word from the command.
      if (signal) output += `${command}: killed by ${signal}\n`;
      resolve({ code, output });
    });
  });
}

/** A killed set-up may leave commands running. A second npm in the same folder must wait for the first one. */
export async function outliveCommands(waitMsMax = 60_000) {
  const files = readdirSync(STATE).filter((name) => /^command\.\d+$/.test(name));
  const end = Date.now() + waitMsMax;
  for (const name of files) {
    const pid = Number(name.slice(COMMAND.length));
    // Never killed, because another process may have this id by now.
    while (isRunning(pid) && Date.now() < end) await sleep(100);
    rmSync(join(STATE, name), { force: true });
  }
}

export function isRunning(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}

/** The first of the names that can be executed, as a full path; like `command -v`. */
export function findOnPath(names, path = process.env.PATH ?? '') {
  const files = names.flatMap((name) => path.split(delimiter).map((folder) => join(folder || '.', name)));
  return files.find((file) => {
    try {
      accessSync(file, constants.X_OK);
      return statSync(file).isFile();
    } catch {
      return false;
    }
  });
}

/** SHA-256 over names and contents of files and folders; a missing path counts as absent. */
export function hashOf(paths, root = ROOT) {
  const hash = createHash('sha256').update(`${process.platform}-${process.arch}\n`);
  const add = (path) => {
    const name = relative(root, path);
    if (!existsSync(path)) hash.update(`${name} absent\n`);
    else if (statSync(path).isDirectory()) for (const entry of readdirSync(path).sort()) add(join(path, entry));
    else {
      const content = readFileSync(path);
      hash.update(`${name} ${content.length}\n`).update(content);
    }
  };
  for (const path of paths) add(join(root, path));
  return hash.digest('hex');
}

export function isStamped(file, content) {
  return existsSync(file) && readFileSync(file, 'utf8') === content;
}

/** Called last, when the step is finished. The rename makes it atomic. */
export function stamp(file, content) {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(`${file}.${process.pid}`, content);
  renameSync(`${file}.${process.pid}`, file);
}
