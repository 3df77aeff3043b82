import { EQUATION_PARTS } from '../../../src/rain/equation-parts.ts';
import type { Equation } from '../state/responses.ts';
import { centsOf, clockText, moneyText } from '../words/figures.ts';
import { useLanguage, useWords } from '../words/language.ts';
import { SHARED } from '../words/shared.ts';

/** The money equation as one bar: its terms fill the width of the budget exactly when the equation holds. */
export function EquationBar({ equation }: { equation: Equation }) {
  const words = useWords(SHARED);
  const language = useLanguage();
  const parts = EQUATION_PARTS.filter((part) => part !== 'spoiled' || centsOf(equation.spoiled) !== 0);
  return (
    <figure class="equation" data-closes={equation.balanced} data-testid="equation">
      <figcaption>
        <span>{words.parts.budget} <b>{moneyText(equation.budget)}</b></span>
        <span class="closes">{equation.balanced ? `✓ ${words.balanced}` : `✗ ${words.notBalanced}`}</span>
      </figcaption>
      <div class="bracket" aria-hidden="true" />
      <div class="bar" aria-hidden="true">
        {parts.map((part) => <span key={part} data-part={part} style={{ flexGrow: Math.max(0, centsOf(equation[part])) }} />)}
      </div>
      <dl>
        {parts.map((part) => (
          <div key={part}>
            <dt><i data-part={part} aria-hidden="true" />{words.parts[part]}</dt>
            <dd data-testid={`part-${part}`}>{moneyText(equation[part])}</dd>
          </div>
        ))}
      </dl>
      {equation.at !== undefined && <p class="hint">{words.audited(clockText(equation.at, language))}</p>}
    </figure>
  );
}
