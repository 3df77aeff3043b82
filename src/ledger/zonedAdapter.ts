import { PrismaPg } from '@prisma/adapter-pg';
import { types, type ClientBase } from 'pg';
import { breakWhenSilent } from './silentConnection.ts';

type Adapter = Awaited<ReturnType<PrismaPg['connect']>>;
type Queryable = Pick<Adapter, 'queryRaw' | 'executeRaw'>;
type Query = Parameters<Queryable['queryRaw']>[0];
type ArgType = Query['argTypes'][number];
type Parser = (text: string) => unknown;
type GetParser = (oid: number, format: string) => Parser;

/**
 * Prisma's adapter sends times without an offset and drops the offset of those that it reads. In a session whose
 * time zone is not UTC each is then another moment, and no setting of a session is certain behind a pooler. This
 * adapter sends and reads each time with its offset, so that it is the same moment in every session. It costs no
 * statement.
 */
export class ZonedAdapter extends PrismaPg {
  override async connect(): Promise<Adapter> {
    const adapter = sendOffsets(await super.connect());
    const startTransaction = adapter.startTransaction.bind(adapter);
    adapter.startTransaction = async (isolation) => sendOffsets(await startTransaction(isolation));
    // Told of each connection before its first statement.
    adapter.underlyingDriver().on('connect', (client) => {
      breakWhenSilent(client);
      readOffsets(client);
    });
    return adapter;
  }
}

function sendOffsets<T extends Queryable>(queryable: T): T {
  const queryRaw = queryable.queryRaw.bind(queryable);
  const executeRaw = queryable.executeRaw.bind(queryable);
  return Object.assign(queryable, {
    queryRaw: (query: Query) => queryRaw(withOffsets(query)),
    executeRaw: (query: Query) => executeRaw(withOffsets(query)),
  });
}

function withOffsets(query: Query): Query {
  if (!query.argTypes.some(isMoment)) return query;
  return {
    ...query,
    args: query.args.map((arg, i) => (isMoment(query.argTypes[i]) ? isoOf(arg) : arg)),
    // Text is passed on as it is.
    argTypes: query.argTypes.map((type) => (isMoment(type) ? { ...type, scalarType: 'string' } : type)),
  };
}

function isMoment(type: ArgType | undefined): boolean {
  return type?.scalarType === 'datetime' && !['DATE', 'TIME', 'TIMETZ'].includes(type.dbType ?? '');
}

function isoOf(arg: unknown): unknown {
  if (Array.isArray(arg)) return arg.map(isoOf);
  return typeof arg === 'string' || arg instanceof Date ? new Date(arg).toISOString() : arg;
}

/** The adapter brings parsers of its own with each query. */
function readOffsets(client: ClientBase): void {
  const query = client.query.bind(client) as (config: unknown, ...rest: unknown[]) => unknown;
  client.query = ((config: { types?: { getTypeParser: GetParser } }, ...rest: unknown[]) => {
    const given = config.types;
    if (given) {
      config.types = {
        getTypeParser: (oid, format) => (format === 'text' && PARSERS.get(oid)) || given.getTypeParser(oid, format),
      };
    }
    return query(config, ...rest);
  }) as ClientBase['query'];
}

/** The type ids of `timestamptz[]` and `text[]`, which pg has no names for. */
const [TIMESTAMPTZ_ARRAY, TEXT_ARRAY] = [1185, 1009];
const readTexts = types.getTypeParser(TEXT_ARRAY as number, 'text') as (text: string) => (string | null)[];

const PARSERS: ReadonlyMap<number, Parser> = new Map<number, Parser>([
  [types.builtins.TIMESTAMPTZ, readMoment],
  [TIMESTAMPTZ_ARRAY, (text) => readTexts(text).map((one) => (one === null ? null : readMoment(one)))],
]);

/** As PostgreSQL writes it with `DateStyle = ISO`. Offsets in seconds ended long before this project began. */
const MOMENT = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?:\.\d+)?[+-]\d\d(:\d\d)?$/;

/** In ISO 8601, with its offset. @throws when it is written in another way: nobody guesses a time */
function readMoment(text: string): string {
  const found = MOMENT.exec(text);
  if (!found)
    throw new Error(
      `database_times: the database wrote the time "${text}", expected 2026-12-31 23:59:59+00 (DateStyle ISO)`,
    );
  return `${text.replace(' ', 'T')}${found[1] === undefined ? ':00' : ''}`;
}
