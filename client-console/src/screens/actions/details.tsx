import { isFingerprint, kindOf, orderDetails } from '../../../../src/rain/actionDetails.ts';
import type { Action } from '../../state/responses.ts';
import { Fingerprint } from '../../components/fingerprint.tsx';
import { countText, durationText, momentText, moneyText } from '../../words/figures.ts';
import { useWords, type Language } from '../../words/language.ts';
import { ACTION_WORDS, verbText } from '../action-words.ts';
import { DETAIL_WORDS, VALUE_WORDS } from './detail-words.ts';

/** The most entries of a list; the rest is counted. */
const SHOWN_MAX = 5;
const MONEY: readonly string[] = ['budget', 'amount', 'price', 'listPrice'];
const CHOICES: readonly string[] = ['kind', 'position', 'tickets', 'proofOfWork', 'role', 'outcome'];

/**
 * The record of an action, in words. A newer server may record fields and values that this page does not
 * know.
 */
export function Details({ action: { verb, details } }: { action: Pick<Action, 'verb' | 'details'> }) {
  const { words, language } = useWords(DETAIL_WORDS);
  const { words: values } = useWords(VALUE_WORDS);
  const { words: verbs } = useWords(ACTION_WORDS);
  const nameOf = (field: string) => (words as Record<string, string>)[field] ?? field;
  const say = (field: string, value: unknown): string => {
    if (field === 'verb' && typeof value === 'string') return verbText(verbs, value);
    // The name of a switch, not of a person.
    if (CHOICES.includes(field) || typeof value === 'boolean' || (field === 'name' && verb === 'switch'))
      return values[String(value)] ?? String(value);
    if (Array.isArray(value))
      return `${value
        .slice(0, SHOWN_MAX)
        .map((one) => say('', one))
        .join('; ')}${value.length > SHOWN_MAX ? ` … +${countText(value.length - SHOWN_MAX)}` : ''}`;
    if (typeof value === 'object' && value !== null)
      return orderDetails(value as Record<string, unknown>)
        .map(([inner, one]) => `${nameOf(inner)} ${say(inner, one)}`)
        .join(', ');
    return plainText(field, value, language);
  };
  return (
    <dl class="details">
      {orderDetails(details).map(([field, value]) => (
        <div key={field} data-field={field}>
          <dt>{nameOf(field)}</dt>
          {value === true ? null : (
            <dd>{isFingerprint(value) ? <Fingerprint text={value} label={nameOf(field)} /> : say(field, value)}</dd>
          )}
        </div>
      ))}
    </dl>
  );
}

function plainText(field: string, value: unknown, language: Language): string {
  if (MONEY.includes(field) && typeof value === 'string') return moneyText(value);
  const kind = kindOf(field, value);
  if (kind === 'moment') return momentText(value as string | number, language);
  if (kind === 'length') return durationText(value as number, language);
  return typeof value === 'number' ? countText(value) : String(value);
}
