import { z } from 'zod';
import { configSchema, type Config } from '../../src/platform/config.ts';

type Words = Partial<Record<keyof Config, string>>;

/**
 * The description of each setting, in the order of the page. The last line of this file does not compile when one is
 * missing.
 */
const GROUPS = {
  Servers: {
    REDIS_URL:
      'Redis: `redis://host:port`, `rediss://…`, `redis+sentinel://host:port,host:port/name` or `redis+cluster://host:port,host:port`, each with `user:password@`, percent-encoded. TLS only to one server; no passwords of Sentinels. The CA of a private network: `NODE_EXTRA_CA_CERTS`. `npm start` starts one of its own where none is set',
    DATABASE_URL:
      'PostgreSQL itself, no pooler: `postgres://user:password@host:port/database`, user and password percent-encoded, the tables in its schema `public`. TLS: `?sslmode=verify-full`, with `&sslrootcert=FILE` for a CA of your own. `npm start` starts an embedded one where none is set',
    RAIN_HOME: "Folder of the embedded servers' data",
    GATEWAY_HOST: 'Address that the gateway listens on',
    GATEWAY_PORT: 'Port of the gateway',
    GATEWAY_PUBLIC_URL:
      'Where players reach the gateway, when that differs from host and port (behind a proxy), `wss://…`',
    CONSOLE_HOST: 'Address that the console listens on',
    PLAYER_PAGE_URL:
      "The address of the player's page as players use it, such as https://rain.example.com/. The console shows it to operators; default: where the console itself has the page",
    WINNER_NAMES:
      "How winners are shown to other users, in the ticker and among the luckiest. `masked`: `a•••4`; `full`: a guest's name as typed, a participant's as the list has it, another user's id as the token has it; `none`: not at all. Give gateway and console the same value. `rain up --event` begins with `full`",
    TIME_ZONE:
      "The time zone of the event, by its IANA name, such as Asia/Shanghai. The console shows and takes all times in it, also where the operator's browser is elsewhere, and CSV files for a spreadsheet have times in it, as `localTime`; default: the console uses that of the browser, and CSV files that of the machine. Players see the times of their own phones",
    CURRENCY:
      "The currency of all amounts, by its ISO 4217 code, for the console and the player's page; one with two decimals. Nothing is converted: another one only changes what stands before the figures",
    CONSOLE_HOSTS:
      'Names under which browsers may address the console, separated by commas, beside localhost, bare addresses, the name of the machine and those in ALLOWED_ORIGINS and GATEWAY_PUBLIC_URL. Other names are refused, so that no foreign name can be pointed here',
    CONSOLE_PORT: 'Port of the console',
    TRUSTED_PROXIES:
      'How many of your own proxies stand in front of gateway and console. 0: clients connect directly, and `X-Forwarded-For` is ignored',
    LOG_LEVEL: 'How much is logged',
  },
  'Safety of a win': {
    DURABILITY:
      '`local`, `relaxed` or `replicas=N`: where a win must be stored before it is confirmed to the user. Give gateways and workers the same value. See [durability](../explanation/durability.md)',
    DURABILITY_WAIT_MS: 'How long the replicas may take to confirm a win before the user receives "busy", ms',
    SETTLE_AFTER_RECONNECT_MS:
      'How long no rain is settled after an outage of Redis, ms: gateways restore wins meanwhile that Redis has lost',
    ON_TAMPERING:
      '`pause`: a worker pauses a rain at once when the audit finds that somebody changed it by hand in Redis or in the database. `report`: only log, metric and alert. See [settlement](../explanation/settlement.md)',
  },
  'Personal data': {
    USER_RETENTION_DAYS:
      'A worker erases users of whom nothing was written for so many days, as [`rain user erase`](cli.md#rain-user-erase) does. People on the list of participants stay. Its role needs one more right, see [grants.sql](../../deploy/postgresql/grants.sql). Not set: nobody is erased unasked',
  },
  'Signed packets': {
    SIGNING_SECRET:
      'Secret that packets and receipts are signed with, the same for gateways, workers, consoles and commands, at least 32 characters. While it is [replaced](../how-to/replace-signing-secret.md), two, separated by a comma: the first signs, both are known. It stays off the machines of Redis and PostgreSQL. See [who can write to Redis](../explanation/abuse.md#a-writer-to-redis)',
  },
  'Sign-in': {
    JWT_SECRET:
      "Shared secret that players' tokens are signed with (HS256), at least 32 characters. Gateway and console need it or `JWKS_URL`",
    JWKS_URL: 'Public keys of an identity provider, in place of `JWT_SECRET`',
    JWT_ISSUER: 'Required `iss` of a token; not checked where it is not set',
    JWT_AUDIENCE: 'Required `aud` of a token; not checked where it is not set',
    ALLOWED_ORIGINS:
      "Page origins that may open sockets and read a player's wallet, separated by commas. Empty: any origin for sockets, only its own page for the console",
    PICTURE_ORIGINS:
      'Origins such as `https://img.example.com` where pictures of items of sales lie, separated by commas. The page shows pictures of no other one but its own',
    CONSOLE_SECURE_COOKIES:
      "Whether the operator's session cookie is sent over https only. `auto`: if the operator's request came by https",
    APPROVAL_ABOVE:
      'Amount above which creating and topping up a rain, and a write-off, wait for a second operator (四眼). Not set: nothing waits. Give console and command line the same value. See [four eyes](../explanation/abuse.md)',
    CONSOLE_TOTP:
      'Who needs one-time codes (TOTP) at the console. `operators`: whoever may act; without codes they only read, and set them up under their name',
  },
  "Users' money": {
    PAYOUT_PROVIDER:
      "`ledger`: users' money is in the ledger of this system. `webhook`: it is in an external wallet. Give workers and console the same value. See [the webhook](webhook.md)",
    WEBHOOK_URL: 'Where claims are POSTed; http(s), without user and password',
    WEBHOOK_SECRET: 'Secret that requests to the wallet are signed with, at least 32 characters',
    WEBHOOK_RECEIPTS:
      'What the wallet\'s word "paid" needs to be believed. `required`: a receipt that names claim and amount. `trust_status`: nothing; whatever answers 200 at `WEBHOOK_URL` can book credits',
    WEBHOOK_BATCH_MAX: 'Claims in one request; 1 sends each claim alone',
    WEBHOOK_TIMEOUT_MS: 'Timeout of one whole request to the wallet, ms',
  },
  'Orders of a sale': {
    ORDER_SERVICE:
      'Who keeps the orders of new sales. `builtin`: this system. `webhook`: the shop too, and workers POST them to it. Give workers, console and commands the same value. See [the order service](order-service.md)',
    ORDER_WEBHOOK_URL: 'Where workers POST orders; http(s), without user and password',
    ORDER_WEBHOOK_SECRET:
      'Secret that orders to the shop and its callbacks are signed with, at least 32 characters. A console that has it accepts callbacks, also where `ORDER_SERVICE` is `builtin`',
    ORDER_WEBHOOK_BATCH_MAX: 'Orders in one request',
    ORDER_WEBHOOK_TIMEOUT_MS: 'Timeout of one whole request to the shop, ms',
    ORDER_WEBHOOK_ORDERS_PER_SECOND: 'Orders per second that one worker posts to the shop',
    ORDER_WEBHOOK_REQUESTS_MAX: 'Requests to the shop that one worker has under way at once',
    PAY_URL:
      "The shop's page on which a buyer pays an order, with `{orderId}` in the place of the order. Not set: the page of this system has no button to pay",
  },
  'Limits of one gateway': {
    GATEWAY_SOCKETS_MAX: 'Open sockets',
    GATEWAY_SOCKETS_PER_ADDRESS_MAX: 'Open sockets of one address. An office of thousands may be behind one address',
    GATEWAY_HANDSHAKES_PER_SECOND: 'New connections per second',
    GATEWAY_HANDSHAKES_PER_ADDRESS_PER_SECOND: 'New connections per second from one address',
    GATEWAY_MESSAGES_PER_USER_PER_SECOND:
      'Messages per second of one user, over all sockets: the size of a burst, and the rate',
    GATEWAY_MESSAGES_PER_ADDRESS_PER_SECOND: 'The same for one address',
    GATEWAY_RECONNECTS_PER_SECOND: 'How many players per second a closing gateway asks to reconnect',
    GATEWAY_FAIR_START_MS:
      'How long grabs are gathered after a rain opens, and purchases after a sale does, before they are decided in random order, ms. 0: first come, first served',
  },
  'Against scripts': {
    TICKETS: 'When a grab needs a ticket, which a `join` issues',
    PROOF_OF_WORK: 'When a proof of work must be solved before a ticket is issued; needs `TICKETS`',
    PROOF_OF_WORK_TRIES: 'Tries that the proof of work takes at most; half of them on average',
    TICKET_SECRET:
      'Secret that tickets are signed with, the same for all gateways, at least 32 characters. Where it is not set, derived from `JWT_SECRET`, or else from `SIGNING_SECRET`',
  },
  'Metrics and traces': {
    METRICS_HOST: 'Address that `/metrics`, `/healthz` and `/readyz` listen on',
    METRICS_PORT: 'Their port. Not set: no metrics. 0: a free port, which is logged; `rain up` takes only 0',
    OTEL_EXPORTER_OTLP_ENDPOINT:
      'Collector of traces (OTLP over HTTP), such as `http://127.0.0.1:4318`. Not set: nothing is traced',
    TRACES_ONE_IN: 'One win in so many is traced; the same wins in every process',
  },
} as const satisfies Record<string, Words>;

type Documented = { [G in keyof typeof GROUPS]: keyof (typeof GROUPS)[G] }[keyof typeof GROUPS];
true satisfies keyof Config extends Documented ? true : never;

const HEAD = `# Settings

Generated from \`src/platform/config.ts\` by \`npm run docs\`. Every process reads its settings from the environment, then from \`.env\` in its working directory,
and checks all of them when it starts: a wrong value ends the start with one line for each problem. An empty variable counts as one that is not set.
`;

/** Every setting with its default and what is accepted. */
export function settingsPage(): string {
  const sections = Object.entries(GROUPS).map(([group, words]) =>
    [
      `## ${group}`,
      '',
      '| setting | what it does | accepted | default |',
      '|---|---|---|---|',
      ...Object.entries(words as Words).map(([name, what]) => row(name as keyof Config, what!)),
    ].join('\n'),
  );
  return `${[HEAD, ...sections].join('\n\n').replace('\n\n\n', '\n\n')}\n`;
}

function row(name: keyof Config, what: string): string {
  const schema = configSchema.shape[name];
  const {
    enum: choices,
    minimum,
    maximum,
    minLength,
  } = z.toJSONSchema(schema, { unrepresentable: 'any', io: 'input' }) as Bounds;
  const range = minimum === undefined || maximum === undefined || maximum > 1e15 ? '' : `${minimum} to ${maximum}`;
  const accepted = choices
    ? choices.map((choice) => `\`${choice}\``).join(', ')
    : range || (minLength !== undefined && minLength > 1 ? `${minLength} characters or more` : '');
  const { data: preset } = schema.safeParse(undefined);
  const told =
    preset === undefined || (Array.isArray(preset) && preset.length === 0)
      ? '–'
      : `\`${typeof preset === 'object' && 'mode' in preset ? preset.mode : String(preset)}\``;
  return `| \`${name}\` | ${what} | ${accepted} | ${told} |`;
}

interface Bounds {
  enum?: string[];
  minimum?: number;
  maximum?: number;
  minLength?: number;
}
