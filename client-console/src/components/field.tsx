import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';
import type { FieldRefusal } from '../state/responses.ts';
import { durationText } from '../words/figures.ts';
import { useLanguage } from '../words/language.ts';
import { reasonIn } from '../words/refusals.ts';

interface FieldProps {
  label: string;
  value: string;
  onInput: (value: string) => void;
  /** Shown below the field while nothing is wrong. */
  hint?: ComponentChildren;
  /** The console's refusals of this field. */
  refusals?: readonly FieldRefusal[];
  /** The label of a search is shown inside the field. */
  type?: 'text' | 'password' | 'search' | 'datetime-local';
  inputMode?: 'decimal' | 'numeric';
  autocomplete?: string;
  unit?: string;
  /** The text may have several lines. */
  lines?: boolean;
  required?: boolean;
  autofocus?: boolean;
  testId?: string;
}

export function Field({
  label,
  value,
  onInput,
  hint,
  refusals = [],
  type = 'text',
  inputMode,
  autocomplete = 'off',
  unit,
  lines = false,
  required,
  autofocus,
  testId,
}: FieldProps) {
  const id = useId();
  const { language } = useLanguage();
  const refused = refusals.length > 0;
  const shared = {
    id,
    value,
    'aria-invalid': refused,
    'aria-describedby': refused || hint ? `${id}-note` : undefined,
    'data-testid': testId,
  };
  return (
    <div class={`field${refused ? ' refused' : ''}${lines ? ' lines' : ''}`}>
      <label for={id} class={type === 'search' ? 'unseen' : ''}>
        {label}
      </label>
      <span class="input" style={{ '--unit': String(unit?.trim().length ?? 0) }}>
        {lines ? (
          <textarea {...shared} rows={3} onInput={(event) => onInput(event.currentTarget.value)} />
        ) : (
          <input
            {...shared}
            // The JSX types have no union of input types, so one is asserted.
            type={type as 'text'}
            inputMode={inputMode}
            autocomplete={autocomplete}
            placeholder={type === 'search' ? label : undefined}
            required={required}
            autofocus={autofocus}
            step={type === 'datetime-local' ? 1 : undefined}
            spellcheck={false}
            onInput={(event) => onInput(event.currentTarget.value)}
          />
        )}
        {unit !== undefined && (
          <span class="unit" aria-hidden="true">
            {unit}
          </span>
        )}
      </span>
      {refused && (
        <p class="refusal" id={`${id}-note`} role="status">
          {refusals.map(({ reason }) => reasonIn(language, reason)).join(' · ')}
        </p>
      )}
      {!refused && hint && (
        <p class="hint" id={`${id}-note`}>
          {hint}
        </p>
      )}
    </div>
  );
}

interface ChoiceProps<V extends string> {
  label: string;
  value: V;
  options: readonly (readonly [V, string])[];
  onChange: (value: V) => void;
  /** Whether only screen readers get the label. */
  hidden?: boolean;
  testId?: string;
}

export function Choice<V extends string>({ label, value, options, onChange, hidden = false, testId }: ChoiceProps<V>) {
  const id = useId();
  return (
    <div class="field">
      <label for={id} class={hidden ? 'unseen' : ''}>
        {label}
      </label>
      <span class="input">
        <select
          id={id}
          value={value}
          data-testid={testId}
          onChange={(event) => onChange(event.currentTarget.value as V)}
        >
          {options.map(([key, name]) => (
            <option key={key} value={key}>
              {name}
            </option>
          ))}
        </select>
      </span>
    </div>
  );
}

export const FOREVER = 'forever';
const DURATIONS_MS = [600_000, 3_600_000, 86_400_000, 7 * 86_400_000];

/** A duration: a few usual ones, as text in ms, or no end. */
export function DurationChoice(props: Omit<ChoiceProps<string>, 'options'>) {
  const { shared, language } = useLanguage();
  return (
    <Choice
      {...props}
      options={[
        [FOREVER, shared.forever],
        ...DURATIONS_MS.map((ms) => [String(ms), durationText(ms, language)] as const),
      ]}
    />
  );
}

/** A choice with all options visible: radio buttons styled as one bar. */
export function Segments<V extends string>({ label, value, options, onChange }: ChoiceProps<V>) {
  const name = useId();
  return (
    <fieldset class="segments">
      <legend class="unseen">{label}</legend>
      {options.map(([key, text]) => (
        <label key={key} class={key === value ? 'chosen' : ''}>
          <input type="radio" name={name} checked={key === value} onChange={() => onChange(key)} />
          <span>{text}</span>
        </label>
      ))}
    </fieldset>
  );
}

export function Toggle({
  label,
  checked,
  onChange,
  hint,
}: {
  label: string;
  checked: boolean;
  onChange: (checked: boolean) => void;
  hint?: string;
}) {
  return (
    <label class="toggle">
      <input
        type="checkbox"
        role="switch"
        checked={checked}
        onChange={(event) => onChange(event.currentTarget.checked)}
      />
      <span class="track" aria-hidden="true" />
      <span>
        <b>{label}</b>
        {hint !== undefined && <small>{hint}</small>}
      </span>
    </label>
  );
}
