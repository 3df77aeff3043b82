import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';
import type { FieldRefusal } from '../state/responses.ts';
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
  type?: 'text' | 'password' | 'search' | 'datetime-local';
  inputMode?: 'decimal' | 'numeric' | 'text';
  autocomplete?: string;
  placeholder?: string;
  unit?: string;
  required?: boolean;
  autofocus?: boolean;
  /** The label is for screen readers only. */
  unlabelled?: boolean;
  testId?: string;
}

export function Field({ label, value, onInput, hint, refusals = [], type = 'text', inputMode, autocomplete = 'off', placeholder, unit, required, autofocus, unlabelled, testId }: FieldProps) {
  const id = useId();
  const refused = refusals.length > 0;
  return (
    <div class={`field${refused ? ' refused' : ''}`}>
      <label for={id} class={unlabelled ? 'unseen' : ''}>{label}</label>
      <span class="input">
        <input
          // The JSX types have no union of input types, so one is asserted.
          id={id} type={type as 'text'} value={value} inputMode={inputMode} autocomplete={autocomplete} placeholder={placeholder} required={required} autofocus={autofocus}
          aria-invalid={refused} aria-describedby={refused || hint ? `${id}-note` : undefined} data-testid={testId}
          step={type === 'datetime-local' ? 1 : undefined} spellcheck={false}
          onInput={(event) => onInput(event.currentTarget.value)}
        />
        {unit !== undefined && <span class="unit" aria-hidden="true">{unit}</span>}
      </span>
      <Note id={`${id}-note`} refusals={refusals} hint={hint} />
    </div>
  );
}

function Note({ id, refusals, hint }: { id: string; refusals: readonly FieldRefusal[]; hint: ComponentChildren }) {
  const { language } = useLanguage();
  if (refusals.length === 0) return hint ? <p class="hint" id={id}>{hint}</p> : null;
  return <p class="refusal" id={id} role="status">{refusals.map(({ reason }) => reasonIn(language, reason)).join(' · ')}</p>;
}

interface ChoiceProps<V extends string> {
  label: string;
  value: V;
  options: readonly (readonly [V, string])[];
  onChange: (value: V) => void;
  unlabelled?: boolean;
}

export function Choice<V extends string>({ label, value, options, onChange, unlabelled }: ChoiceProps<V>) {
  const id = useId();
  return (
    <div class="field">
      <label for={id} class={unlabelled ? 'unseen' : ''}>{label}</label>
      <span class="input">
        <select id={id} value={value} onChange={(event) => onChange(event.currentTarget.value as V)}>
          {options.map(([key, name]) => <option key={key} value={key}>{name}</option>)}
        </select>
      </span>
    </div>
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

export function Toggle({ label, checked, onChange, hint }: { label: string; checked: boolean; onChange: (checked: boolean) => void; hint?: string }) {
  return (
    <label class="toggle">
      <input type="checkbox" role="switch" checked={checked} onChange={(event) => onChange(event.currentTarget.checked)} />
      <span class="track" aria-hidden="true" />
      <span><b>{label}</b>{hint !== undefined && <small>{hint}</small>}</span>
    </label>
  );
}
