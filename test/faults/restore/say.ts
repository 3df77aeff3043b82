import type { Deployment } from '../deployment.ts';

/** The shell's exit code for wrong words. */
const WRONG_USAGE = 2;

/** `rain` with these words; its output, whether it did it or refused. @throws for words that `rain` does not know */
export function say({ rain }: Pick<Deployment, 'rain'>, ...words: string[]): Promise<string> {
  return rain(...words).catch((error: { code?: number; stdout?: string; stderr?: string }) => {
    if (error.code === WRONG_USAGE) throw error;
    return `${error.stdout ?? ''}${error.stderr ?? ''}`;
  });
}
