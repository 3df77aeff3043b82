import { CLOSES, REFUSALS } from '../protocol/outcomes.ts';

const OWN: Record<string, string> = {
  no_token: 'There is no token to be had, or it has run out.',
  bad_token: 'The token cannot stand in a request: expected a JWT.',
  closed: 'This client was closed.',
};

/** The gateway does not let us in, and asking again would be in vain. `code` is a reason of the page of codes, `http_<status>`, `no_token`, `bad_token` or `closed`. */
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
