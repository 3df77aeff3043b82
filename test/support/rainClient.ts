import { onTestFinished } from 'vitest';
import { WebSocket } from 'ws';
import { createRainClient, type RainClient, type RainClientOptions, type RainEvents } from '../../src/client/client.ts';
import { tokenFor } from './client.ts';

export interface TestClient extends RainClient {
  /** All that was told by this event so far, oldest first. */
  heard<Name extends keyof RainEvents>(name: Name): RainEvents[Name][];
}

const EVENTS = [
  'link',
  'welcome',
  'rain',
  'result',
  'won',
  'credited',
  'winners',
  'asking',
  'sale',
  'order',
  'restock',
  'buying',
  'goodbye',
  'error',
] as const satisfies readonly (keyof RainEvents)[];

/** The published client as an app in Node has it; closed when the test is over. */
export async function testClient(
  url: string,
  userId: string,
  options: Partial<RainClientOptions> = {},
): Promise<TestClient> {
  const client = createRainClient({ url, token: await tokenFor(userId), WebSocket, ...options });
  onTestFinished(() => client.close());
  const heard = new Map<string, unknown[]>(EVENTS.map((name) => [name, []]));
  for (const name of EVENTS) client.on(name, (told) => heard.get(name)!.push(told));
  return Object.assign(client, {
    heard: <Name extends keyof RainEvents>(name: Name) => heard.get(name) as RainEvents[Name][],
  });
}
