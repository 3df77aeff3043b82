import type { Rows } from '../../../../src/rain/split/method.ts';
import { methodNamed, METHODS } from '../../../../src/rain/split/methods.ts';
import { Button } from '../../components/button.tsx';
import { Field, Segments } from '../../components/field.tsx';
import { currencyText } from '../../words/figures.ts';
import { useLanguage, useWords } from '../../words/language.ts';
import { refusalsFor, rowsTyped, type PartProps, type TypedRow } from './draft.ts';
import { WORDS } from './words.ts';

export function MoneyPart({ draft, refusals, change }: PartProps) {
  const { words, language } = useWords(WORDS);
  const { rows } = methodNamed(draft.method);
  return (
    <fieldset class="card">
      <legend>{words.money}</legend>
      <Field
        label={words.name}
        value={draft.title}
        onInput={(title) => change({ title })}
        hint={words.nameHint}
        refusals={refusalsFor(refusals, 'title')}
        testId="title"
      />
      <div class="pair">
        <Field
          label={words.budget}
          unit={currencyText()}
          inputMode="decimal"
          value={draft.budget}
          onInput={(budget) => change({ budget })}
          refusals={refusalsFor(refusals, 'budget')}
          testId="budget"
        />
        <Field
          label={words.packets}
          inputMode="numeric"
          value={draft.packets}
          onInput={(packets) => change({ packets })}
          refusals={refusalsFor(refusals, 'packets')}
          testId="packets"
        />
      </div>
      <Segments
        label={words.method}
        value={draft.method}
        options={METHODS.map(({ name, label }) => [name, label[language]] as const)}
        onChange={(method) => change({ method })}
      />
      {rows && <RowsPart rows={rows} draft={draft} refusals={refusals} change={change} />}
      <div class="pair">
        <Field
          label={words.min}
          unit={currencyText()}
          inputMode="decimal"
          value={draft.min}
          onInput={(min) => change({ min })}
          refusals={refusalsFor(refusals, 'min')}
        />
        <Field
          label={words.max}
          unit={currencyText()}
          inputMode="decimal"
          value={draft.max}
          onInput={(max) => change({ max })}
          hint={words.maxHint}
          refusals={refusalsFor(refusals, 'max')}
        />
      </div>
    </fieldset>
  );
}

/** The list that a method needs; at least one row. */
function RowsPart({ rows: { field, columns, form }, draft, refusals, change }: PartProps & { rows: Rows }) {
  const { language } = useLanguage();
  const typed = rowsTyped(draft.method, draft.rows);
  const onChange = (changed: readonly TypedRow[]) => change({ rows: { ...draft.rows, [draft.method]: changed } });
  const put = (at: number, column: string, text: string) =>
    onChange(typed.map((row, i) => (i === at ? { ...row, [column]: text } : row)));
  const whole = refusalsFor(refusals, `split.${field}`, 'split');
  const names = Object.keys(columns);
  return (
    <div class="split-rows" role="group" aria-label={form.title[language]}>
      {typed.map((row, i) => (
        <div class="pair split-row" key={i}>
          {names.map((name) => (
            <Field
              key={name}
              label={form.columns[name]![language]}
              value={row[name] ?? ''}
              onInput={(text) => put(i, name, text)}
              {...(columns[name]!.kind === 'amount'
                ? { unit: currencyText(), inputMode: 'decimal' }
                : { inputMode: 'numeric' })}
              refusals={[
                ...refusalsFor(refusals, `split.${field}.${i}.${name}`),
                ...(i === typed.length - 1 && name === names.at(-1) ? whole : []),
              ]}
            />
          ))}
          {typed.length > 1 && (
            <Button
              variant="quiet"
              label={`${form.remove[language]} ${i + 1}`}
              onClick={() => onChange(typed.filter((_, at) => at !== i))}
            >
              ✕
            </Button>
          )}
        </div>
      ))}
      <Button variant="quiet" onClick={() => onChange([...typed, form.first])}>
        + {form.add[language]}
      </Button>
    </div>
  );
}
