import { randomBytes } from 'node:crypto';
import { Secret, TOTP } from 'otpauth';
import { z } from 'zod';
import type { BookedOperator } from '../../ledger/staff.ts';
import { readJson } from '../../rain/json.ts';
import { refuse, type OperatorContext, type Refused } from '../context.ts';

const ISSUER = 'Red-packet rain';
const SECRET_BYTES = 20;
/** Codes of the step before and after count, too: clocks differ. */
const WINDOW_STEPS = 1;
/** A set-up that was begun is confirmed within this time, ms. */
const SETUP_MS = 15 * 60_000;
const RECOVERY_CODES = 10;
const RECOVERY_BYTES = 10;
const RECOVERY_FORM = /^[A-Z2-7]{16}$/;

const setup = z.object({ secret: z.string(), epoch: z.int(), at: z.number() });

type TotpContext = Pick<OperatorContext, 'ledger' | 'signer' | 'actor'>;

const totpOf = (name: string, secret: string): TOTP =>
  new TOTP({ issuer: ISSUER, label: name, secret: Secret.fromBase32(secret) });
const recoveryText = (name: string, code: string): string => ['recovery code', name, code].join('\n');
/** An operator's secret opens with the operator's name only: nobody can put it into another row. */
const secretOf = (name: string): string => `secret of ${name}`;
const setupOf = (name: string): string => `set-up of ${name}`;

/** The step of this code, if it is of now or of a step beside it. */
function stepOf(totp: TOTP, code: string, now: number): number | undefined {
  const delta = /^\d{6}$/.test(code) ? totp.validate({ token: code, timestamp: now, window: WINDOW_STEPS }) : null;
  return delta === null ? undefined : totp.counter({ timestamp: now }) + delta;
}

/** A new secret. Nothing is stored before it is confirmed: `setup` is what `confirmTotp` needs, encrypted. */
export function beginTotp(
  { signer }: Pick<TotpContext, 'signer'>,
  { name, epoch }: BookedOperator,
): { secret: string; uri: string; setup: string } {
  const secret = new Secret({ size: SECRET_BYTES }).base32;
  const begun = JSON.stringify({ secret, epoch, at: Date.now() } satisfies z.infer<typeof setup>);
  return { secret, uri: totpOf(name, secret).toString(), setup: signer.sealTotp(begun, setupOf(name)) };
}

/**
 * Sets the secret up if the operator's app shows the right code. The recovery codes are shown only this once. Ends all
 * sessions.
 */
export async function confirmTotp(
  { ledger, signer, actor }: TotpContext,
  name: string,
  begun: string,
  code: string,
): Promise<{ ok: true; recoveryCodes: string[] } | Refused> {
  const read = setup.safeParse(readJson(signer.openTotp(begun, setupOf(name)) ?? '')).data;
  if (!read || read.at + SETUP_MS < Date.now())
    return refuse('setup', 'expected the set-up that was begun at most 15 minutes ago; begin again');
  const step = stepOf(totpOf(name, read.secret), plain(code), Date.now());
  if (step === undefined)
    return refuse('code', 'expected the code of six digits that the app shows now; check the clock of the device');
  const recoveryCodes = Array.from(
    { length: RECOVERY_CODES },
    () => new Secret({ buffer: new Uint8Array(randomBytes(RECOVERY_BYTES)).buffer }).base32,
  );
  const codes = recoveryCodes.map((one) => signer.sessionMac(recoveryText(name, one)));
  const set = await ledger.staff.setTotp(
    name,
    { secret: signer.sealTotp(read.secret, secretOf(name)), step, codes, epoch: read.epoch },
    actor,
  );
  return set
    ? { ok: true, recoveryCodes: recoveryCodes.map((one) => one.match(/.{4}/g)!.join('-')) }
    : refuse('setup', 'the account was changed meanwhile; begin again');
}

/** Whether this is a code of the operator's app, or a recovery code. Each is accepted once. */
export async function acceptCode(
  { ledger, signer, actor }: TotpContext,
  { name, totpSecret = '' }: BookedOperator,
  typed: string,
): Promise<boolean> {
  const code = plain(typed);
  if (RECOVERY_FORM.test(code)) {
    const hash = (await ledger.staff.recoveryCodes(name)).find((one) =>
      signer.isSession(one, recoveryText(name, code)),
    );
    return hash !== undefined && ledger.staff.useRecoveryCode(hash, actor);
  }
  const secret = signer.openTotp(totpSecret, secretOf(name));
  const step = secret === undefined ? undefined : stepOf(totpOf(name, secret), code, Date.now());
  return step !== undefined && ledger.staff.acceptStep(name, step);
}

/** For an operator who has lost the device and the recovery codes. Ends all sessions. */
export async function resetTotp(
  { ledger, actor }: Pick<TotpContext, 'ledger' | 'actor'>,
  name: string,
): Promise<{ ok: true } | Refused> {
  if (!(await ledger.staff.operator(name))) return refuse('name', `there is no operator ${name}`);
  return (await ledger.staff.resetTotp(name, actor)) ? { ok: true } : refuse('name', `${name} has no one-time codes`);
}

/** As it was typed: with spaces, hyphens, in small letters. */
function plain(code: string): string {
  return code.replace(/[\s-]/g, '').toUpperCase();
}
