import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { exportJWK, exportSPKI, generateKeyPair } from 'jose';
import { WebSocket } from 'ws';
import { GATEWAY_PATH, BEARER_PREFIX, SUBPROTOCOL } from '../../src/protocol/constants.ts';
import type { OperatorContext } from '../../src/operator/context.ts';
import { createRain, type CreateRequest } from '../../src/operator/create.ts';
import { loadRain } from '../../src/operator/load.ts';
import { createSale, type CreateSaleRequest } from '../../src/operator/sale/create.ts';
import { openSale } from '../../src/operator/sale/open.ts';
import { addOperator, issueToken } from '../../src/operator/staff/staff.ts';
import type { Role } from '../../src/ledger/staff.ts';
import { deploy, type Deployment } from '../faults/deployment.ts';
import { startCli, type CliProcess } from '../support/cli.ts';
import { follow, type Client } from '../support/client.ts';
import { eventually } from '../support/eventually.ts';
import { freePort } from '../support/freePort.ts';
import { ask } from './asker.ts';

/** The secret of the shop whose callbacks the console takes. */
export const SHOP_SECRET = 'a-secret-of-the-shop-for-tests-0123456789';
/** More money than this needs a second operator. */
const APPROVAL_ABOVE = '1000.00';
/** The strict gateway's demands on a token, and on a page. */
export const STRICT = {
  issuer: 'https://issuer.example',
  audience: 'red-packet-rain',
  origin: 'https://play.example',
} as const;
/** Low, so that a test solves a challenge at once. */
const PROOF_OF_WORK_TRIES = 20;
const WINDOW_MS = 900_000;
const HOLD_MS = 600_000;

/** An operator with all that opens a door. */
export interface Staff {
  name: string;
  role: Role;
  password: string;
  token: string;
}

export interface SignedInAs {
  /** The header of later requests. */
  cookie: string;
  csrf: string;
}

/** A server that runs as a process of its own. */
export interface Running {
  port: number;
  pid: number;
  /** stdout and stderr. */
  said(): string;
  isRunning(): boolean;
}

export interface Scene {
  /** HS256 with the secret of the tests; any origin. */
  gateway: Running;
  /** Keys by JWKS_URL, JWT_ISSUER, JWT_AUDIENCE, ALLOWED_ORIGINS. */
  strict: Running & { privateKey: CryptoKey; publicPem: string; kid: string };
  console: Running;
  deployment: Deployment;
  context: OperatorContext;
  /** Environment of the servers. */
  env: Record<string, string>;
  /** Starts another server with these options and settings, which runs until all end. */
  start(words: ['gateway' | 'console', ...options: string[]], settings?: Record<string, string>): Promise<Running>;
  staff: { viewer: Staff; operator: Staff; second: Staff };
  /** An address of this machine that nobody else has asked from. */
  address(): string;
  addStaff(name: string, role: Role): Promise<Staff>;
  /** Signs in at the console with the password. */
  signIn(staff: Pick<Staff, 'name' | 'password'>, from: string): Promise<SignedInAs>;
  /** A rain, loaded and open unless said otherwise; gives its id. */
  rain(request?: Partial<CreateRequest>): Promise<string>;
  /** A sale of "tee", open unless said otherwise; gives its id. */
  sale(request?: Partial<CreateSaleRequest>): Promise<string>;
  /** A socket of the gateway. @throws when it does not open */
  socket(token: string, from: string, port?: number): Promise<Client>;
  end(): Promise<void>;
}

export const PASSWORD = 'correct horse paper staple';

/** All servers, started once for all families. */
export async function openScene(): Promise<Scene> {
  const ends: (() => unknown)[] = [];
  const end = async () => {
    for (const step of ends.splice(0).reverse()) await step();
  };
  try {
    const deployment = await deploy({
      gateways: 0,
      workers: 1,
      env: { ORDER_WEBHOOK_SECRET: SHOP_SECRET, APPROVAL_ABOVE },
    });
    ends.push(() => deployment.end());
    const { context, env } = deployment;
    const keys = await openIssuer();
    ends.push(() => keys.server.close());

    const processes: CliProcess[] = [];
    ends.push(async () => {
      for (const { child } of processes) child.kill('SIGTERM');
      await Promise.all(processes.map(({ done }) => done));
    });
    const start: Scene['start'] = async ([word, ...options], extra = {}) => {
      const port = await freePort();
      const started = startCli([word, ...options], {
        ...env,
        LOG_LEVEL: 'debug',
        [`${word.toUpperCase()}_PORT`]: String(port),
        PROOF_OF_WORK_TRIES: String(PROOF_OF_WORK_TRIES),
        ...extra,
      });
      processes.push(started);
      const isUp = () =>
        ask(port, '/readyz').then(
          ({ status }) => status === 200,
          () => false,
        );
      await eventually(
        async () => {
          if (!(await isUp())) throw new Error(`the ${word} is not ready: ${started.stderr()}${started.stdout()}`);
        },
        { timeoutMs: 60_000 },
      );
      return {
        port,
        pid: started.child.pid!,
        said: () => started.stdout() + started.stderr(),
        isRunning: () => started.child.exitCode === null && started.child.signalCode === null,
      };
    };
    const [gateway, strict] = await Promise.all([
      start(['gateway'], { GATEWAY_FAIR_START_MS: '0' }),
      start(['gateway'], {
        GATEWAY_FAIR_START_MS: '0',
        JWT_SECRET: '',
        JWKS_URL: keys.url,
        JWT_ISSUER: STRICT.issuer,
        JWT_AUDIENCE: STRICT.audience,
        ALLOWED_ORIGINS: STRICT.origin,
      }),
    ]);
    const consoleServer = await start(['console'], {
      GATEWAY_PUBLIC_URL: `ws://127.0.0.1:${gateway.port}${GATEWAY_PATH}`,
    });
    const { privateKey, publicPem, kid } = keys;
    const made = makers(context);
    const [viewer, operator, second] = await Promise.all([
      made.addStaff('vera', 'viewer'),
      made.addStaff('opal', 'operator'),
      made.addStaff('otto', 'operator'),
    ]);
    return {
      ...made,
      gateway,
      strict: { ...strict, privateKey, publicPem, kid },
      console: consoleServer,
      deployment,
      context,
      env,
      start,
      staff: { viewer, operator, second },
      end,
      async signIn({ name, password }, from) {
        // Passwords are checked one at a time, for all families.
        const { headers, json } = await eventually(
          async () => {
            const answer = await ask(consoleServer.port, '/api/console/session', {
              method: 'POST',
              body: { name, password },
              from,
            });
            if (answer.status !== 200) throw new Error(`${name} cannot sign in: ${answer.status} ${answer.text}`);
            return answer;
          },
          { everyMs: 500 },
        );
        return {
          cookie: (headers['set-cookie'] ?? []).map((line) => line.split(';')[0]).join('; '),
          csrf: String(json!['csrf']),
        };
      },
      async socket(token, from, port = gateway.port) {
        const socket = new WebSocket(`ws://127.0.0.1:${port}${GATEWAY_PATH}`, [SUBPROTOCOL, BEARER_PREFIX + token], {
          localAddress: from,
        });
        const client = follow(socket);
        await Promise.race([
          once(socket, 'open'),
          client.closed.then((code) => {
            throw new Error(`closed with ${code} before it opened`);
          }),
        ]);
        return client;
      },
    };
  } catch (error) {
    await end();
    throw error;
  }
}

/** An identity provider that publishes one key. */
async function openIssuer(): Promise<{
  server: Server;
  url: string;
  privateKey: CryptoKey;
  publicPem: string;
  kid: string;
}> {
  const { privateKey, publicKey } = await generateKeyPair('RS256', { extractable: true });
  const kid = 'key-1';
  const body = JSON.stringify({ keys: [{ ...(await exportJWK(publicKey)), kid, alg: 'RS256', use: 'sig' }] });
  const server = createServer((_request, response) =>
    response.writeHead(200, { 'content-type': 'application/json' }).end(body),
  );
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    server,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/jwks`,
    privateKey,
    publicPem: await exportSPKI(publicKey),
    kid,
  };
}

function makers(context: OperatorContext): Pick<Scene, 'address' | 'addStaff' | 'rain' | 'sale'> {
  let [addresses, ids] = [0, 0];
  const check = <T extends { ok: boolean }>(done: T): Extract<T, { ok: true }> => {
    if (!done.ok) throw new Error(JSON.stringify(done));
    return done as Extract<T, { ok: true }>;
  };
  const window = () => ({ opensAt: Date.now() - 1_000, closesAt: Date.now() + WINDOW_MS });
  return {
    address() {
      addresses++;
      return `127.1.${Math.floor(addresses / 250)}.${(addresses % 250) + 1}`;
    },
    async addStaff(name, role) {
      check(await addOperator(context, name, role, PASSWORD));
      return { name, role, password: PASSWORD, token: check(await issueToken(context, name, 'attack')).token };
    },
    async rain(request = {}) {
      const { rainId } = check(
        await createRain(context, {
          id: `attack-rain-${++ids}`,
          plan: { budget: '100.00', packets: 50 },
          ...window(),
          ...request,
        }),
      );
      check(await loadRain(context, rainId));
      return rainId;
    },
    async sale(request = {}) {
      const { saleId } = check(
        await createSale(context, {
          id: `attack-sale-${++ids}`,
          ...window(),
          holdMs: HOLD_MS,
          perUserMax: 10,
          items: [{ sku: 'tee', units: 1_000, price: '19.90', perUserMax: 10 }],
          ...request,
        }),
      );
      check(await openSale(context, saleId));
      return saleId;
    },
  };
}
