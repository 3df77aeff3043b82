import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { expect, onTestFinished, test } from 'vitest';
import { launchChromium, WITHOUT_CHROMIUM } from '../browser/chromium.ts';
import { goTo, photograph, signIn } from '../browser/operator.ts';
import { shows, tapPackets, text } from '../browser/player.ts';
import { freePort } from '../support/freePort.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { openTerminal } from './terminal.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
/** "Your first rain" of the README: each step with its code and bold texts. */
const STEPS = /## Your first rain[^\n]*\n([^]*?)\n## /.exec(
  readFileSync(new URL('../../README.md', import.meta.url), 'utf8'),
)![1]!;

/** Checks that the README contains what the walk relies on. */
function written(...parts: string[]): void {
  for (const part of parts) expect(STEPS, `the README's first rain does not say ${part}`).toContain(part);
}

/** The numbers that the README says to type. */
const typed = (label: string): string => new RegExp(`${label} \`([\\d.]+)\``).exec(STEPS)![1]!;

test.skipIf(WITHOUT_CHROMIUM)(
  'a newcomer follows the README alone: a rain is created in the console, played by 300 bots and a person, credited and exported, and the money adds up',
  { timeout: 300_000 },
  async () => {
    const began = performance.now();
    const folder = temporaryFolder();
    const [gateway, context] = [await freePort(), await freePort()];
    const env = {
      PATH: process.env['PATH']!,
      HOME: folder,
      RAIN_HOME: `${folder}/.rain`,
      GATEWAY_PORT: String(gateway),
      CONSOLE_PORT: String(context),
    };

    // 1. One command; the address and the login are printed in the terminal.
    written('npm start', 'console');
    const first = openTerminal('npm start', ROOT, env);
    const [, address, name, password] = await first.sees(/^console +(http:\/\/\S+) +(\S+) \/ (\S+)$/m, 120_000);

    const browser = await launchChromium();
    onTestFinished(() => browser.close());
    const operator = await (
      await browser.newContext({ locale: 'en-GB', viewport: { width: 1280, height: 800 } })
    ).newPage();
    await operator.goto(address!);
    await signIn(operator, name!, password!);

    // 2. The form, with the numbers of the README.
    written('**New rain**', '**Review …**', '**Create rain**');
    await operator.getByRole('link', { name: 'New rain' }).first().click();
    await operator.getByRole('button', { name: /^Flash/ }).click();
    await fill(operator, 'Budget', typed('budget'));
    await fill(operator, 'Red packets', typed('packets'));
    await fill(operator, 'Starts in', typed('starts in'));
    await fill(operator, 'It rains for', typed('rains for'));
    await operator.getByTestId('preview').waitFor();
    await photograph(operator, 'walk-create');
    await operator.getByRole('button', { name: 'Review …' }).click();
    await operator.getByRole('button', { name: 'Create rain' }).click();
    await operator.getByTestId('commitment').waitFor();

    // 3. 300 bots: the command is on the rain's page.
    written('**Players**', '--users 300');
    const command = await text(operator, 'swarm-command');
    const second = openTerminal(command, ROOT, env);

    // 4. A person on a phone.
    const link = await text(operator, 'player-address');
    const player = await (
      await browser.newContext({
        locale: 'en-GB',
        viewport: { width: 390, height: 844 },
        hasTouch: true,
        isMobile: true,
      })
    ).newPage();
    await player.goto(link);
    await shows(player, 'scheduled', 30_000);
    await operator.getByRole('link', { name: 'Live' }).click();
    await shows(player, 'open', 120_000);
    await tapPackets(player);
    await shows(player, 'won', 30_000);
    const amount = (await text(player, 'big')).replace(/[^\d.]/g, '');
    await player.locator('[data-credited]').waitFor({ timeout: 30_000 });
    await photograph(operator, 'walk-live');
    await photograph(player, 'walk-won');

    // The bots have finished, and their results add up.
    expect(await second.ended(), second.screen()).toBe(0);

    // 5. The winners as a file.
    written('**Winners**', '**CSV**', '**Settled**');
    const rainId = new URL(operator.url()).hash.split('/')[2]!;
    await operator.getByRole('link', { name: 'Winners' }).click();
    await operator.getByTestId('winner').first().waitFor();
    const [download] = await Promise.all([operator.waitForEvent('download'), operator.getByTestId('csv').click()]);
    const file = `${folder}/winners.csv`;
    await download.saveAs(file);
    const lines = readFileSync(file, 'utf8').trim().split('\n');
    expect(lines).toHaveLength(302);
    expect(lines.filter((line) => line.includes('guest-') && line.includes(amount))).toHaveLength(1);

    // 6. Settled, and balanced to the cent.
    await goTo(operator, `#/rains/${rainId}`);
    await expect.poll(() => text(operator, 'state'), { timeout: 90_000 }).toBe('Settled');
    await expect
      .poll(() => operator.getByTestId('equation').getAttribute('data-closes'), { timeout: 20_000 })
      .toBe('true');
    await photograph(operator, 'walk-settled');
    // Ctrl-C: npm exits with 130, as a shell does, and nothing is served any more.
    expect([0, 130]).toContain(await first.interrupt());
    await expect(fetch(address!)).rejects.toThrow();
    console.info(`the newcomer's walk took ${Math.round((performance.now() - began) / 1_000)} s`);
  },
);

async function fill(page: Page, label: string, value: string): Promise<void> {
  await page.getByLabel(label, { exact: true }).fill(value);
}
