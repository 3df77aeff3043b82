import { useId } from 'preact/hooks';
import type { FieldRefusal } from '../state/responses.ts';
import { useLanguage } from '../words/language.ts';
import { reasonIn } from '../words/refusals.ts';
import { Button } from './button.tsx';

interface ColourFieldProps {
  label: string;
  /** `#rrggbb`; `undefined`: the one of the default look. */
  value: string | undefined;
  usual: string;
  /** Label of the button that goes back to the usual colour. */
  toUsual: string;
  hint: string;
  refusals: readonly FieldRefusal[];
  onInput: (value: string | undefined) => void;
  testId: string;
}

/** A colour that may be left as it usually is. */
export function ColourField({ label, value, usual, toUsual, hint, refusals, onInput, testId }: ColourFieldProps) {
  const id = useId();
  const { language } = useLanguage();
  const refused = refusals.length > 0;
  return (
    <div class={`field colour${refused ? ' refused' : ''}`}>
      <label for={id}>{label}</label>
      <span class="input">
        <input
          id={id}
          type="color"
          value={value ?? usual}
          aria-invalid={refused}
          aria-describedby={`${id}-note`}
          data-testid={testId}
          onInput={(event) => onInput(event.currentTarget.value)}
        />
        <code>{value ?? usual}</code>
        {value !== undefined && (
          <Button
            variant="quiet"
            label={`${label}: ${toUsual}`}
            onClick={() => onInput(undefined)}
            testId={`${testId}-usual`}
          >
            {toUsual}
          </Button>
        )}
      </span>
      {refused ? (
        <p class="refusal" id={`${id}-note`} role="status">
          {refusals.map(({ reason }) => reasonIn(language, reason)).join(' · ')}
        </p>
      ) : (
        <p class="hint" id={`${id}-note`}>
          {hint}
        </p>
      )}
    </div>
  );
}
