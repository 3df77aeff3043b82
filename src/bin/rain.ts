#!/usr/bin/env node
import { runCommandLine } from './program.ts';
import { processTerminal } from './terminal.ts';

// `rain list | head` closes the pipe early: that is no error.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  // A command that pours rows out listens as well, and decides what an output that is cut short means.
  if (process.stdout.listenerCount('error') === 1) process.exit();
});

const exit = await runCommandLine(processTerminal(), process.argv.slice(2));
// A server continues to run here. A later failure sets its own exit code.
if (exit !== 0) process.exitCode = exit;
