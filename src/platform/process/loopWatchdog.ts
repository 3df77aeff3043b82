import type fs from 'node:fs';
import { url as debuggerUrl } from 'node:inspector';
import { Worker } from 'node:worker_threads';

/** How often the loop gives a sign of life, ms. */
const BEAT_MS = 1_000;
/**
 * A loop that stood still for so long does not come back, ms: the longest work of ours takes seconds, also on a busy
 * machine.
 */
const STILL_MS_MAX = 60_000;

interface Watched {
  /** Counts the signs of life. */
  beats: Int32Array;
  beatMs: number;
  stillMsMax: number;
  /** Written to stderr before the kill. */
  lastWords: string;
}

/**
 * Kills this process when its event loop turns or blocks for ever: no timer runs then, so neither SIGTERM nor a
 * deadline of our own ends it. The watchdog is a thread with a loop of its own, some 10 MB; it sleeps while the whole
 * process is stopped.
 * @param name the server, for the log
 */
export function watchLoop(name: string, { beatMs = BEAT_MS, stillMsMax = STILL_MS_MAX } = {}): void {
  // A debugger stops the loop on purpose.
  if (debuggerUrl() !== undefined) return;
  const beats = new Int32Array(new SharedArrayBuffer(4));
  setInterval(() => void Atomics.add(beats, 0, 1), beatMs).unref();
  const msg = `the event loop stood still for ${stillMsMax / 1_000} s; killed this process`;
  const workerData: Watched = {
    beats,
    beatMs,
    stillMsMax,
    lastWords: `${JSON.stringify({ level: 60, room: name, msg })}\n`,
  };
  // As text, so that the thread loads none of our modules.
  new Worker(`(${String(watch)})(require('node:worker_threads').workerData, require('node:fs'))`, {
    eval: true,
    execArgv: [],
    workerData,
  }).unref();
}

/** Runs in the thread, and can use its arguments only. */
function watch({ beats, beatMs, stillMsMax, lastWords }: Watched, { writeSync }: typeof fs): void {
  let seen = -1;
  let stillMs = 0;
  setInterval(() => {
    const now = Atomics.load(beats, 0);
    stillMs = now === seen ? stillMs + beatMs : 0;
    seen = now;
    if (stillMs < stillMsMax) return;
    writeSync(2, lastWords);
    process.kill(process.pid, 'SIGKILL');
  }, beatMs);
}
