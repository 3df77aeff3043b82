import { CLOSES, REFUSALS } from '../protocol/outcomes.ts';

const OWN: Record<string, string> = {
  no_token: 'No token is available, or the token has expired.',
  bad_token: 'The token has invalid characters: expected a JWT.',
  closed: 'This client was closed.',
};

/**
 * A final refusal. `code` is a reason from the table of codes, `http_<status>`, `no_token`, `bad_token` or `closed`.
 */
export class RainRefused extends Error {
  override readonly name = 'RainRefused';
  readonly code: string;

  constructor(code: string) {
    super(meaningOf(code));
    this.code = code;
  }
}

function meaningOf(code: string): string {
  const known = [...Object.values(CLOSES), ...Object.values(REFUSALS)].find(({ reason }) => reason === code);
  return known?.meaning ?? OWN[code] ?? `The gateway answered ${code.replace('_', ' ').toUpperCase()}.`;
}
