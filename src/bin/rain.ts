#!/usr/bin/env node
import { runCommandLine } from './commandLine.ts';
import { processTerminal } from './terminal.ts';

// `rain list | head`: whoever reads no further has what he wanted.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit();
});

const exit = await runCommandLine(processTerminal(), process.argv.slice(2));
// A server goes on, and what breaks it later ends it with a code of its own.
if (exit !== 0) process.exitCode = exit;
