import { Client } from 'pg';

/** Makes PostgreSQL refuse credits a few times. */
interface Obstacle {
  /** How often a credit was refused. */
  met(): Promise<number>;
  remove(): Promise<void>;
}

export interface Refusing {
  /** SQLSTATE of the error. */
  code: string;
  /** At the statement, or only at the commit. */
  when: 'statement' | 'commit';
  times: number;
}

/** Refuses only credits of this rain. A sequence counts them, because a rollback does not reset it. */
export async function refuseCredits(
  databaseUrl: string,
  rainId: string,
  { code, when, times }: Refusing,
): Promise<Obstacle> {
  const client = new Client({ connectionString: databaseUrl });
  client.on('error', () => {});
  await client.connect();
  await client.query(`
    CREATE SEQUENCE obstacle;
    CREATE FUNCTION meet_obstacle() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      IF nextval('obstacle') <= ${times} THEN RAISE EXCEPTION 'met an obstacle' USING ERRCODE = '${code}'; END IF;
      RETURN NEW;
    END $$;
    CREATE ${when === 'commit' ? 'CONSTRAINT TRIGGER obstacle AFTER' : 'TRIGGER obstacle BEFORE'} INSERT ON "Transfer"
      ${when === 'commit' ? 'DEFERRABLE INITIALLY DEFERRED' : ''} FOR EACH ROW
      WHEN (NEW."rainId" = '${rainId}' AND NEW."kind" = 'credit') EXECUTE FUNCTION meet_obstacle()`);
  return {
    async met() {
      const {
        rows: [state],
      } = await client.query<{ last: string; called: boolean }>(
        'SELECT last_value AS last, is_called AS called FROM obstacle',
      );
      return state!.called ? Math.min(times, Number(state!.last)) : 0;
    },
    async remove() {
      await client.query('DROP TRIGGER obstacle ON "Transfer"; DROP FUNCTION meet_obstacle; DROP SEQUENCE obstacle');
      await client.end();
    },
  };
}
