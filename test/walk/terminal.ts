import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { onTestFinished } from 'vitest';
import { eventually } from '../support/eventually.ts';

/** The visible output of a terminal, without colours. */
interface Terminal {
  /** Everything printed so far. */
  screen(): string;
  /** Resolves with the first match, as soon as it appears. */
  sees(pattern: RegExp, timeoutMs?: number): Promise<RegExpExecArray>;
  /** Ctrl-C. @returns the exit code */
  interrupt(): Promise<number>;
  /** @returns the exit code */
  ended(): Promise<number>;
}

const ESCAPES = /\x1b\[[0-9;?]*[A-Za-z]/g;

/**
 * Opens a real terminal (with util-linux's `script`), so that programs print their interactive output, and Ctrl-C is
 * turned into a signal by the terminal.
 */
export function openTerminal(command: string, cwd: string, env: Record<string, string>): Terminal {
  const shell = spawn('script', ['--quiet', '--return', '--command', command, '/dev/null'], {
    cwd,
    env: { ...env, TERM: 'xterm-256color', COLUMNS: '160' },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  let printed = '';
  shell.stdout.on('data', (chunk) => {
    printed += String(chunk);
  });
  const closed = once(shell, 'close').then(([code]) => Number(code));
  const terminal: Terminal = {
    screen: () => printed.replace(ESCAPES, '').replaceAll('\r', ''),
    sees: (pattern, timeoutMs = 60_000) =>
      eventually(
        () => {
          const found = pattern.exec(terminal.screen());
          if (!found && shell.exitCode !== null)
            throw new Error(
              `"${command}" ended with ${shell.exitCode} before it showed ${pattern}:\n${terminal.screen()}`,
            );
          return found ?? false;
        },
        { timeoutMs },
      ),
    async interrupt() {
      shell.stdin.write('\x03');
      return await closed;
    },
    ended: () => closed,
  };
  onTestFinished(async () => {
    if (shell.exitCode === null) await terminal.interrupt();
  });
  return terminal;
}
