import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { PrismaPg } from '@prisma/adapter-pg';
import { bindMigrationAwareSqlAdapterFactory, ColumnTypeEnum, type SqlQuery } from '@prisma/driver-adapter-utils';
import { Pool, types, type QueryResult } from 'pg';
import type { MigrationList, SchemaEngine } from '@prisma/schema-engine-wasm/schema_engine_bg';
import { readMigrations } from '../../src/ledger/migrate.ts';

/** Parts of Node that its types, made without those of a browser, lack. */
declare const WebAssembly: {
  instantiate(
    bytes: Uint8Array,
    imports: Record<string, object>,
  ): Promise<{ instance: { exports: Record<string, unknown> } }>;
};
type Bindings = Pick<typeof import('@prisma/schema-engine-wasm/schema_engine_bg'), 'SchemaEngine'> & {
  __wbg_set_wasm(wasm: object): void;
};

const require = createRequire(import.meta.url);
const schema = {
  path: 'schema.prisma',
  content: readFileSync(new URL('../../prisma/schema.prisma', import.meta.url), 'utf8'),
};
const lockfile = {
  path: 'migration_lock.toml',
  content: readFileSync(new URL('../../prisma/migrations/migration_lock.toml', import.meta.url), 'utf8'),
};
const filters = { externalTables: [], externalEnums: [] };

let loaded: Promise<Bindings> | undefined;

/**
 * The package's own entry imports the .wasm as a module, which Node does not do yet. Its bindings take one instance.
 */
async function load(): Promise<Bindings> {
  const bindings = (await import('@prisma/schema-engine-wasm/schema_engine_bg')) as unknown as Bindings;
  const wasm = readFileSync(
    require.resolve('@prisma/schema-engine-wasm').replace('schema_engine.js', 'schema_engine_bg.wasm'),
  );
  const { instance } = await WebAssembly.instantiate(wasm, { './schema_engine_bg.js': bindings });
  // Where the engine leaves its last words when it panics.
  Object.assign(globalThis, {
    PRISMA_WASM_PANIC_REGISTRY: { set_message: (message: string) => process.stderr.write(`${message}\n`) },
  });
  bindings.__wbg_set_wasm(instance.exports);
  (instance.exports['__wbindgen_start'] as () => void)();
  return bindings;
}

/**
 * The adapter is made for the client, not for the engine, which `prisma migrate` brings its own driver for. Two of its
 * habits are in the way: it does not know the type "char", of which PostgreSQL's catalogue is full, and it takes
 * scripts apart at every semicolon, also within a function's body.
 */
class MigrationAdapter extends PrismaPg {
  readonly #pool: Pool;
  readonly #charColumns = new Set<string>();

  constructor(url: string) {
    const pool = new Pool({ connectionString: url, max: 2 });
    super(pool, { disposeExternalPool: true });
    this.#pool = pool;
    const query = pool.query.bind(pool) as (...words: unknown[]) => Promise<QueryResult>;
    pool.query = (async (...words: unknown[]) => {
      const result = await query(...words);
      for (const field of result.fields ?? []) {
        if (field.dataTypeID !== types.builtins.CHAR) continue;
        field.dataTypeID = types.builtins.TEXT;
        this.#charColumns.add(field.name);
      }
      return result;
    }) as typeof pool.query;
  }

  override async connect(): ReturnType<PrismaPg['connect']> {
    const adapter = await super.connect();
    const queryRaw = adapter.queryRaw.bind(adapter);
    return Object.assign(adapter, {
      executeScript: async (script: string) => {
        await this.#pool.query(script);
      },
      queryRaw: async (query: SqlQuery) => {
        const result = await queryRaw(query);
        const columnTypes = result.columnTypes.map((type, i) =>
          this.#charColumns.has(result.columnNames[i]!) ? ColumnTypeEnum.Character : type,
        );
        return { ...result, columnTypes };
      },
    });
  }

  end(): Promise<void> {
    return this.#pool.end();
  }
}

/** Prisma's own engine, on this database: the second opinion about what src/ledger/migrate.ts does. */
export async function openSchemaEngine(url: string) {
  const bindings = await (loaded ??= load());
  const factory = new MigrationAdapter(url);
  const adapter = bindMigrationAwareSqlAdapterFactory(factory);
  const engine: SchemaEngine = await bindings.SchemaEngine.new(
    { datamodels: [[schema.path, schema.content]] },
    () => {},
    adapter,
  );
  const migrationsList: MigrationList = {
    baseDir: 'prisma/migrations',
    lockfile,
    shadowDbInitScript: '',
    migrationDirectories: readMigrations().map(({ name, sql }) => ({
      path: name,
      migrationFile: { path: 'migration.sql', content: { tag: 'ok', value: sql } },
    })),
  };
  return {
    /** The SQL that would turn the database into what schema.prisma says. */
    async missing(): Promise<string | null> {
      const from = { tag: 'schemaDatasource' as const, files: [schema], configDir: '.' };
      return (
        await engine.diff({
          from,
          to: { tag: 'schemaDatamodel', files: [schema] },
          script: true,
          exitCode: null,
          filters,
        })
      ).stdout;
    },
    /** The work of `prisma migrate deploy`; the names of the migrations it applied. */
    async deploy(): Promise<string[]> {
      return (await engine.applyMigrations({ migrationsList, filters })).appliedMigrationNames;
    },
    close: () => factory.end(),
    diagnose: () => engine.diagnoseMigrationHistory({ migrationsList, optInToShadowDatabase: false, filters }),
  };
}
