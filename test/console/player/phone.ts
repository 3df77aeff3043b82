import { Agent, request, type IncomingHttpHeaders } from 'node:http';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { WebSocket } from 'ws';
import { BEARER_PREFIX, SUBPROTOCOL } from '../../../src/protocol/constants.ts';
import { follow, type Client } from '../../support/client.ts';

/** The connections that a browser opens to one server. */
const CONNECTIONS_OF_A_BROWSER = 6;
const ASSET = /(?:src|href)="\.?(\/assets\/[^"]+)"/g;

interface Refused {
  what: string;
  status: number | string;
  retryAfter?: string;
}

type Answer = { status: number; headers: IncomingHttpHeaders; body: string };

/** A phone as the server sees it: the connections of one browser, the page with what it loads, a guest, a socket. */
export class Phone {
  readonly refused: Refused[] = [];
  readonly #agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS_OF_A_BROWSER });
  readonly #page: string;
  token: string | undefined;

  constructor(page: string) {
    this.#page = page;
  }

  async ask(path: string, body?: object): Promise<Answer | undefined> {
    try {
      const sent = request(new URL(path, this.#page), {
        agent: this.#agent,
        ...(body && { method: 'POST', headers: { 'content-type': 'application/json' } }),
      });
      sent.end(body && JSON.stringify(body));
      const [answer] = (await once(sent, 'response')) as [import('node:http').IncomingMessage];
      const found = { status: answer.statusCode!, headers: answer.headers, body: await text(answer) };
      if (found.status !== 200)
        this.refused.push({
          what: path,
          status: found.status,
          ...(found.headers['retry-after'] !== undefined && { retryAfter: found.headers['retry-after'] }),
        });
      return found;
    } catch (error) {
      this.refused.push({ what: path, status: (error as NodeJS.ErrnoException).code ?? String(error) });
      return undefined;
    }
  }

  /** Loads the page and what it names, as a browser that has never been here. */
  async load(): Promise<void> {
    const page = await this.ask('/');
    const assets = [...(page?.body ?? '').matchAll(ASSET)].map(([, path]) => path!);
    await Promise.all(
      [...assets, '/favicon.svg', '/manifest.webmanifest', '/api/config', '/api/theme'].map((path) => this.ask(path)),
    );
  }

  /** @returns whether this phone is a guest now */
  async enter(): Promise<boolean> {
    const answer = await this.ask('/api/guest', { ...(this.token !== undefined && { token: this.token }) });
    if (answer?.status !== 200) return false;
    this.token = (JSON.parse(answer.body) as { token: string }).token;
    return true;
  }

  async connect(gatewayUrl: string): Promise<Client> {
    const socket = new WebSocket(gatewayUrl, [SUBPROTOCOL, BEARER_PREFIX + this.token!]);
    const client = follow(socket);
    await client.next('welcome');
    return client;
  }

  close(): void {
    this.#agent.destroy();
  }
}
