import { CURRENCY_DEFAULT, currencyUnit } from '../../../src/platform/currency.ts';
import { isTimeZone, momentAt, timeZoneHere, wallTime } from '../../../src/platform/timeZone.ts';
import { groupDigits } from '../../../src/rain/money.ts';
import type { Language } from './language.ts';

const LOCALE: Record<Language, string> = { en: 'en-GB', zh: 'zh-CN' };

let unit = currencyUnit(CURRENCY_DEFAULT);
let timeZone = timeZoneHere();

/** @param code the currency of all amounts, as the session tells it; ISO 4217 */
export function setCurrency(code: string): void {
  unit = currencyUnit(code);
}

/** The text beside the fields of amounts. */
export function currencyText(): string {
  return unit;
}

/** `"8888.00"` → `¥8,888.00`, `"-5.00"` → `-¥5.00`. Every amount of the page is written here. */
export function moneyText(amount: string): string {
  const [, minus = '', plain = ''] = /^(-?)(.*)$/.exec(amount) ?? [];
  return minus + unit + groupDigits(plain);
}

export function countText(count: number): string {
  return Math.round(count).toLocaleString('en-US');
}

/** `1 order`, `12 orders`. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${countText(count)} ${count === 1 ? one : many}`;
}

/** An amount in cents, for widths and sums. Exact up to the largest budget. */
export function centsOf(amount: string): number {
  return Number(amount.replace('.', ''));
}

/**
 * Typed amount (`8888`, `8,888.5`, `¥88`) → wire format. Anything else stays unchanged, so that the server refuses it
 * with a reason.
 */
export function amountTyped(text: string): string {
  const plain = text.replace(unit.trim(), '').replace(/[\s,，¥￥]/g, '');
  const match = /^0*(\d+)(?:\.(\d{0,2}))?$/.exec(plain);
  return match ? `${match[1]}.${(match[2] ?? '').padEnd(2, '0')}` : plain;
}

/** @param name zone of the event, as the session tells it; absent, or unknown to this browser: that of the browser */
export function setTimeZone(name: string | undefined): void {
  timeZone = name !== undefined && isTimeZone(name) ? name : timeZoneHere();
}

/** In which all times of the page are shown and typed. */
export function timeZoneText(): string {
  return timeZone;
}

/** Epoch ms → what `datetime-local` shows. */
export function typedTime(time: number): string {
  return wallTime(time, timeZone);
}

/** The value typed into `datetime-local` → epoch ms; NaN: no time. */
export function timeTyped(text: string): number {
  return momentAt(text, timeZone);
}

/** `14 Nov, 20:00:05`. The year is shown only if it is not the current one. */
export function momentText(moment: string | number, language: Language, now = Date.now()): string {
  const date = new Date(moment);
  const year = typedTime(date.getTime()).slice(0, 4) !== typedTime(now).slice(0, 4);
  return date.toLocaleString(LOCALE[language], {
    timeZone,
    ...(year && { year: 'numeric' }),
    month: 'short',
    day: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    hourCycle: 'h23',
  });
}

export function clockText(moment: string | number, language: Language): string {
  return new Date(moment).toLocaleTimeString(LOCALE[language], {
    timeZone,
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    hourCycle: 'h23',
  });
}

/** Whole seconds as `4:09`, `1:04:09` or `2 d 3:00:00`. */
export function countdownText(ms: number): string {
  const seconds = Math.max(0, Math.ceil(ms / 1_000));
  const [days, rest] = [Math.floor(seconds / 86_400), seconds % 86_400];
  const [hours, minutes] = [Math.floor(rest / 3_600), Math.floor((rest % 3_600) / 60)];
  const two = (part: number) => String(part).padStart(2, '0');
  const clock = hours > 0 || days > 0 ? `${hours}:${two(minutes)}:${two(rest % 60)}` : `${minutes}:${two(rest % 60)}`;
  return days > 0 ? `${days} d ${clock}` : clock;
}

const UNITS: Record<Language, readonly [string, string, string, string]> = {
  en: ['s', 'min', 'h', 'd'],
  zh: ['秒', '分钟', '小时', '天'],
};

/** A duration in the largest unit that fits: `45 s`, `2 min`, `1.5 h`. */
export function durationText(ms: number, language: Language): string {
  const [s, min, h, d] = UNITS[language];
  const format = (value: number, symbol: string) => `${Number(value.toFixed(1))} ${symbol}`;
  if (ms < 60_000) return format(ms / 1_000, s);
  if (ms < 3_600_000) return format(ms / 60_000, min);
  return ms < 86_400_000 ? format(ms / 3_600_000, h) : format(ms / 86_400_000, d);
}

/** A size of a file: `256 KiB`, `3.4 MiB`. */
export function bytesText(bytes: number): string {
  const [value, symbol] = bytes < 2 ** 20 ? [bytes / 2 ** 10, 'KiB'] : [bytes / 2 ** 20, 'MiB'];
  return `${Number(value.toFixed(1))} ${symbol}`;
}
