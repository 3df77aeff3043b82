import { EQUATION_PARTS } from '../../../src/rain/equation-parts.ts';
import { useAway } from '../state/away.ts';
import type { Equation } from '../state/responses.ts';
import { centsOf, clockText, moneyText } from '../words/figures.ts';
import { useLanguage } from '../words/language.ts';

/** The money equation as one bar: its terms fill the width of the budget exactly when the equation holds. */
export function EquationBar({ equation }: { equation: Equation }) {
  const { shared, language } = useLanguage();
  // A figure that the server does not confirm now is neither right nor wrong.
  const isFresh = useAway() === undefined;
  const parts = EQUATION_PARTS.filter((part) => part !== 'spoiled' || centsOf(equation.spoiled) !== 0);
  return (
    <figure class="equation" data-closes={isFresh ? equation.balanced : undefined} data-testid="equation">
      <figcaption>
        <span>
          {shared.parts.budget} <b>{moneyText(equation.budget)}</b>
        </span>
        <span class="closes">
          {!isFresh ? shared.notFresh : equation.balanced ? `✓ ${shared.balanced}` : `✗ ${shared.notBalanced}`}
        </span>
      </figcaption>
      <div class="bracket" aria-hidden="true" />
      <div class="bar" aria-hidden="true">
        {parts.map((part) => (
          <span key={part} data-part={part} style={{ flexGrow: Math.max(0, centsOf(equation[part])) }} />
        ))}
      </div>
      <dl>
        {parts.map((part) => (
          <div key={part}>
            <dt>
              <i data-part={part} aria-hidden="true" />
              {shared.parts[part]}
            </dt>
            <dd data-testid={`part-${part}`}>{moneyText(equation[part])}</dd>
          </div>
        ))}
      </dl>
      {equation.at !== undefined && <p class="hint">{shared.audited(clockText(equation.at, language))}</p>}
    </figure>
  );
}
