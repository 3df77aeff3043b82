import { useEffect, useState } from 'preact/hooks';
import { useAway } from '../../state/away.ts';
import type { SaleAudit, SaleRepair, SaleView } from '../../state/responses.ts';
import { useApp, useVerb, type RequestState } from '../../state/useApi.ts';
import { Awaited } from '../../components/awaited.tsx';
import { Button } from '../../components/button.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { UnitsBar } from '../../components/units-bar.tsx';
import { useLanguage, useWords } from '../../words/language.ts';
import { reasonIn } from '../../words/refusals.ts';
import { Acknowledge } from './acknowledge.tsx';
import { SALE_WORDS, WORDS } from './words.ts';
import { WriteOff } from './write-off.tsx';

/** Whether the units add up, what the audit has found, and its repair. */
export function StockCard({
  sale,
  audit,
  isGivenUp,
  onDone,
}: {
  sale: SaleView;
  audit: RequestState<SaleAudit>;
  isGivenUp: boolean;
  onDone: () => void;
}) {
  const { words } = useWords(WORDS);
  const { words: names, shared } = useWords(SALE_WORDS);
  const isFresh = useAway() === undefined;
  const { mayAct } = useApp();
  const [asking, setAsking] = useState<'repair' | 'acknowledge' | 'writeOff'>();
  const close = () => {
    setAsking(undefined);
    onDone();
  };
  const nameOf = (sku: string) => sale.items.find((item) => item.sku === sku)?.name ?? sku;
  return (
    <section class="card" aria-labelledby="stock">
      <div class="row">
        <h2 id="stock">{words.stock}</h2>
        <Button variant="quiet" onClick={audit.again}>
          {words.audit}
        </Button>
      </div>
      <Awaited request={audit}>
        {({ balanced, items, orders, buyers, problems, notices, waiting, wrongCounts }) => (
          <>
            <p
              class={!isFresh ? 'verdict' : balanced ? 'verdict good' : 'verdict bad'}
              role="status"
              data-testid="adds-up"
              data-balanced={isFresh ? balanced : undefined}
            >
              <b>{!isFresh ? shared.notFresh : balanced ? `✓ ${names.addsUp}` : `✗ ${names.not}`}</b>{' '}
              {words.counts(orders, buyers)}
            </p>
            <Findings title={words.problems} sentences={problems} />
            <Findings title={words.notices} sentences={notices} />
            {waiting > 0 && <p class="hint">{words.waiting(waiting)}</p>}
            {mayAct && (
              <p class="acts">
                {(waiting > 0 || wrongCounts > 0 || sale.held !== undefined) && (
                  <Button onClick={() => setAsking('repair')} testId="repair">
                    {words.repair}
                  </Button>
                )}
                {isStuck(sale, balanced, wrongCounts) && sale.state !== 'lost' && (
                  <Button onClick={() => setAsking('acknowledge')} testId="acknowledge">
                    {words.acknowledge}
                  </Button>
                )}
                {isStuck(sale, balanced, wrongCounts) && !isGivenUp && (
                  <Button variant="danger" onClick={() => setAsking('writeOff')} testId="write-off">
                    {words.writeOff}
                  </Button>
                )}
              </p>
            )}
            {items.map((item) => (
              <UnitsBar key={item.sku} item={item} name={nameOf(item.sku)} />
            ))}
          </>
        )}
      </Awaited>
      {asking === 'repair' && <Repair saleId={sale.saleId} onClose={close} />}
      {asking === 'acknowledge' && <Acknowledge saleId={sale.saleId} onClose={close} />}
      {asking === 'writeOff' && <WriteOff sale={sale} onClose={close} />}
    </section>
  );
}

/** Whether it does not add up for a reason that a repair cannot put right. */
function isStuck({ state, held }: SaleView, balanced: boolean, wrongCounts: number): boolean {
  return !balanced && wrongCounts === 0 && held === undefined && state !== 'settled';
}

function Findings({ title, sentences }: { title: string; sentences: readonly string[] }) {
  const { language } = useLanguage();
  if (sentences.length === 0) return null;
  return (
    <div class="findings" role="status">
      <h3>{title}</h3>
      <ul>
        {sentences.map((sentence) => (
          <li key={sentence}>{reasonIn(language, sentence)}</li>
        ))}
      </ul>
    </div>
  );
}

/** Says what a repair would do before it is done. */
function Repair({ saleId, onClose }: { saleId: string; onClose: () => void }) {
  const { words, shared } = useWords(WORDS);
  const { api } = useApp();
  const verb = useVerb();
  const [plan, setPlan] = useState<SaleRepair>();
  const path = `sales/${encodeURIComponent(saleId)}/repair`;
  useEffect(
    () =>
      void verb
        .run(() => api.post<SaleRepair>(path, { dryRun: true }))
        .then((tried) => {
          if (tried) setPlan(tried.done);
        }),
    [path],
  );
  const nothing = plan !== undefined && plan.reservations === 0 && plan.counts.length === 0 && !plan.released;
  return (
    <Dialog
      title={words.repairTitle}
      act={words.repairAct}
      verb={verb}
      disabled={!plan || nothing}
      onAct={() => api.post(path)}
      onClose={onClose}
    >
      {!plan && <p>{shared.loading}</p>}
      {nothing && <p>{words.repairNothing}</p>}
      {plan && plan.reservations > 0 && (
        <p>
          {words.repairSends(plan.reservations)} {!plan.complete && words.repairMore}
        </p>
      )}
      {plan?.released && <p>{words.repairReleases}</p>}
      {plan?.counts.map(({ field, found, right }) => (
        <p key={field}>{words.repairSets(field, found, String(right))}</p>
      ))}
    </Dialog>
  );
}
