import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, describe, expect, test } from 'vitest';
import { parse, stringify } from 'yaml';
import { shardKeys } from '../../src/store/keys.ts';
import { buildShippedPage } from '../browser/built-page.ts';
import { rain } from '../support/call.ts';
import { startCli, type CliProcess } from '../support/cli.ts';
import { SECRET } from '../support/client.ts';
import { openTestContext } from '../support/operatorContext.ts';
import { eventually } from '../support/eventually.ts';
import { HAS_PROMTOOL, promtool } from '../support/promtool.ts';
import { scrape } from '../support/scrape.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';

const FOLDER = fileURLToPath(new URL('../../deploy/prometheus/', import.meta.url));
/** A scrape stands for five seconds of a night, so that the windows of the alerts are filled. */
const SCRAPE_SECONDS = 5;
const QUIET_AFTERWARDS = 60;

const running: CliProcess[] = [];
const [context] = await Promise.all([openTestContext(), buildShippedPage()]);
afterAll(async () => {
  for (const { child } of running) child.kill('SIGTERM');
  await Promise.all(running.map(({ done }) => done));
  await context.stop();
});

/** Series as promtool takes them: what each scrape told, and the last word for a while after. */
class Recorder {
  readonly #began = Date.now();
  readonly #series = new Map<string, (number | undefined)[]>();
  #scrapes = 0;

  async scrape(servers: ReadonlyMap<string, string>): Promise<void> {
    for (const [job, url] of servers) {
      const told = await scrape(url);
      told.set('up', 1);
      for (const [name, value] of told) {
        const [, figure, labels = ''] = /^(\w+)(?:\{(.*)\})?$/.exec(name)!;
        const series = `${figure}{${labels}${labels && ','}job="${job}",instance="${job}:1"}`;
        const values = this.#series.get(series) ?? Array.from({ length: this.#scrapes }, () => undefined);
        while (values.length < this.#scrapes) values.push(undefined);
        // promtool's clock begins at 0.
        values.push(figure!.endsWith('_timestamp_seconds') ? value - this.#began / 1_000 : value);
        this.#series.set(series, values);
      }
    }
    this.#scrapes++;
  }

  series(): { series: string; values: string }[] {
    return [...this.#series]
      .filter(([, values]) => values.every((value) => value === undefined || Number.isFinite(value)))
      .map(([series, values]) => {
        const [known, last] = [values.map((value) => value ?? '_').join(' '), values.at(-1)];
        // A series that was not told in the last scrape has ended.
        return {
          series,
          values:
            values.length === this.#scrapes && last !== undefined ? `${known} ${last}x${QUIET_AFTERWARDS}` : known,
        };
      });
  }

  get seconds(): number {
    return (this.#scrapes - 1 + QUIET_AFTERWARDS) * SCRAPE_SECONDS;
  }
}

describe.runIf(HAS_PROMTOOL)('a small healthy rain', () => {
  test('sets off no alert, from before its opening until after its settlement, and its figures are there', async () => {
    const env = {
      REDIS_URL: context.redisUrl,
      DATABASE_URL: context.databaseUrl,
      JWT_SECRET: SECRET,
      GATEWAY_PORT: '0',
      CONSOLE_PORT: '0',
      METRICS_PORT: '0',
    };
    const servers = new Map(
      await Promise.all(
        ['gateway', 'worker', 'console'].map(async (name): Promise<[string, string]> => {
          const server = startCli([name], env);
          running.push(server);
          return [
            `rain-${name}`,
            await eventually(() => /"url":"(http:\/\/127\.0\.0\.1:\d+)\/metrics"/.exec(server.stderr())?.[1] ?? false, {
              timeoutMs: 30_000,
            }),
          ];
        }),
      ),
    );
    const port = await eventually(() => /"port":(\d+)/.exec(running[0]!.stderr())?.[1] ?? false);

    const recorder = new Recorder();
    let over = false;
    const scraping = (async () => {
      while (!over) {
        await recorder.scrape(servers);
        await sleep(500);
      }
      await recorder.scrape(servers);
    })();
    expect(
      await rain(
        [
          'create',
          '--id',
          'quiet',
          '--budget',
          '10.00',
          '--packets',
          '20',
          '--start',
          '+8s',
          '--duration',
          '15s',
          '--load',
        ],
        env,
      ),
    ).toMatchObject({ exit: 0 });
    expect(
      await rain(
        ['swarm', '--rain', 'quiet', '--users', '60', '--processes', '1', '--url', `ws://127.0.0.1:${port}/v1`],
        env,
      ),
    ).toMatchObject({ exit: 0 });
    await eventually(
      async () => expect(await context.redis.hget(shardKeys('quiet', 0).state, 'state')).toBe('settled'),
      { timeoutMs: 60_000 },
    );
    over = true;
    await scraping;

    const series = recorder.series();
    const won = series.find((one) => one.series.startsWith('rain_gateway_grabs_total{code="0"'));
    expect(won?.values).toMatch(/ 20x60$/);
    expect(series.find((one) => one.series.startsWith('rain_credit_lag_seconds_count'))?.values).toMatch(/ 20x60$/);
    expect(series.some((one) => one.series.startsWith('rain_balanced{rain="quiet"'))).toBe(true);

    const alerts = (
      parse(readFileSync(join(FOLDER, 'alerts.yml'), 'utf8')) as { groups: { rules: { alert?: string }[] }[] }
    ).groups.flatMap(({ rules }) => rules.flatMap(({ alert }) => alert ?? []));
    const moments = Array.from(
      { length: Math.floor(recorder.seconds / SCRAPE_SECONDS) },
      (_, i) => (i + 1) * SCRAPE_SECONDS,
    );
    const examples = (input: typeof series) => ({
      rule_files: ['alerts.yml'],
      evaluation_interval: `${SCRAPE_SECONDS}s`,
      tests: [
        {
          interval: `${SCRAPE_SECONDS}s`,
          input_series: input,
          alert_rule_test: alerts.flatMap((alertname) =>
            moments.map((at) => ({ eval_time: `${at}s`, alertname, exp_alerts: [] })),
          ),
        },
      ],
    });
    const folder = temporaryFolder();
    cpSync(FOLDER, folder, { recursive: true });
    const evaluate = (input: typeof series) => {
      writeFileSync(join(folder, 'night.yml'), stringify(examples(input)));
      return promtool('test', 'rules', join(folder, 'night.yml'));
    };
    expect(evaluate(series)).toMatchObject({ exit: 0 });
    // The same night with one cent missing.
    const spoiled = series.map((one) =>
      one.series.startsWith('rain_balanced') ? { ...one, values: one.values.replace(/1(?!.*1 )/, '0') } : one,
    );
    expect(evaluate(spoiled)).toMatchObject({ exit: 1, printed: expect.stringContaining('RainDoesNotAddUp') });
  }, 180_000);
});
