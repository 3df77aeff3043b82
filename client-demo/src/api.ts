/** The configuration that the console sends to this page. */
export interface PlayerConfig {
  gatewayUrl: string;
  /** Anonymous guests may play. */
  demo: boolean;
}

const ANSWER_MS_MAX = 8_000;

/** @throws when the console cannot be reached or does not answer as expected */
export async function readConfig(): Promise<PlayerConfig> {
  const answer = await fetch('api/config', { signal: AbortSignal.timeout(ANSWER_MS_MAX) });
  const config: unknown = answer.ok ? await answer.json() : undefined;
  if (!isObject(config) || typeof config['gatewayUrl'] !== 'string') throw new Error(`no configuration: ${answer.status}`);
  return { gatewayUrl: config['gatewayUrl'], demo: config['demo'] === true };
}

/**
 * @param former this guest's last token, so that the guest keeps the user id
 * @returns `undefined` if anonymous guests may not play
 * @throws when the console cannot be reached or is too busy
 */
export async function requestGuestToken(former: string | undefined): Promise<string | undefined> {
  const answer = await fetch('api/guest', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(former === undefined ? {} : { token: former }),
    signal: AbortSignal.timeout(ANSWER_MS_MAX),
  });
  if (answer.status === 404) return undefined;
  const guest: unknown = answer.ok ? await answer.json() : undefined;
  if (!isObject(guest) || typeof guest['token'] !== 'string') throw new Error(`no guest token: ${answer.status}`);
  return guest['token'];
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
