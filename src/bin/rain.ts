#!/usr/bin/env node
import { readEnvironment } from '../runtime/config.ts';
import { explain, tell } from './answer.ts';
import { paintComplaint } from './paint.ts';
import { openProgram } from './program.ts';

// `rain list | head`: whoever reads no further has what he wanted.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit();
});

try {
  await (await openProgram(process.argv[2])).parseAsync();
} catch (error) {
  const { exit, reasons, said } = explain(error);
  if (process.argv.includes('--json') && reasons.length > 0) process.stdout.write(`${JSON.stringify({ ok: false, exit, reasons })}\n`);
  if (!said) for (const reason of reasons) tell(`${paintComplaint('rain:')} ${reason}`);
  if (readEnvironment()['LOG_LEVEL'] === 'debug') console.error(error);
  process.exitCode = exit;
}
