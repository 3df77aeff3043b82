import { useRef, useState } from 'preact/hooks';
import type { CampaignDetail, CampaignView, Excluded, ExcludedList, RainView, SaleView } from '../state/responses.ts';
import { useApp, useRequest, useVerb } from '../state/useApi.ts';
import { Button } from '../components/button.tsx';
import { Refused } from '../components/awaited.tsx';
import { Choice } from '../components/field.tsx';
import { UnderstoodList } from '../components/understood.tsx';
import { counted, countText } from '../words/figures.ts';
import { bilingual, useWords } from '../words/language.ts';

const WORDS = bilingual(
  {
    title: 'Excluded users',
    told: 'They win nothing in the rains of this campaign and buy nothing in its sales; what they have won and bought in it before stays theirs.',
    now: (users: number) => (users === 0 ? 'Nobody is excluded.' : `${counted(users, 'user')} excluded.`),
    credited: (packets: number) =>
      `${counted(packets, 'packet')} won by them before, or while Redis had lost who is excluded`,
    winners: 'Winners of',
    none: 'No settled rain or campaign',
    exclude: 'Exclude them',
    buyers: 'Buyers of',
    noSale: 'No settled sale',
    excludeBuyers: 'Exclude the buyers',
    file: 'List (.xlsx or CSV) with the column user, or number',
    excludeListed: 'Exclude the list',
    done: (users: number, total: number) => `${counted(users, 'more user')} excluded, ${countText(total)} in all.`,
    readmit: 'Take all back',
    readmitted: 'Nobody is excluded any more.',
  },
  {
    title: '排除用户',
    told: '他们在本系列活动的红包雨中不会中奖，在其秒杀中也不能购买；之前在其中赢得和买到的仍归他们。',
    now: (users) => (users === 0 ? '没有排除任何人。' : `已排除 ${users} 人。`),
    credited: (packets) => `他们共赢得 ${packets} 个红包：在被排除之前，或在 Redis 丢失排除名单期间`,
    winners: '这场的中奖者',
    none: '没有已结算的红包雨或系列活动',
    exclude: '排除他们',
    buyers: '这场的买家',
    noSale: '没有已结算的秒杀',
    excludeBuyers: '排除这些买家',
    file: '名单（.xlsx 或 CSV），列名为“用户”（user）或“工号”（number）',
    excludeListed: '排除名单中的人',
    done: (users, total) => `新排除 ${users} 人，共 ${total} 人。`,
    readmit: '全部取消排除',
    readmitted: '已不排除任何人。',
  },
);

/**
 * The users who win and buy nothing in a campaign: winners of earlier rains, buyers of earlier sales, or the users of a
 * list.
 */
export function Exclusions({
  campaign: { campaignId, excluded, rounds, sales },
  onDone,
}: {
  campaign: CampaignDetail;
  onDone: () => void;
}) {
  const { words } = useWords(WORDS);
  const { mayAct } = useApp();
  const [told, setTold] = useState('');
  const finish = (sentence: string) => {
    setTold(sentence);
    onDone();
  };
  const tell = ({ excluded: users, total }: Excluded) => finish(words.done(users, total));
  if (!mayAct && excluded.users === 0) return null;
  return (
    <section class="card from-file exclusions" aria-labelledby="exclusions">
      <h2 id="exclusions">{words.title}</h2>
      <p>
        <b data-testid="excluded">{words.now(excluded.users)}</b>
        {excluded.credits > 0 && <> {words.credited(excluded.credits)}</>}
      </p>
      <p class="hint">{words.told}</p>
      {mayAct && (
        <>
          <ExcludeWinners campaignId={campaignId} onDone={tell} />
          <ExcludeBuyers campaignId={campaignId} onDone={tell} />
          <ExcludeListed campaignId={campaignId} onDone={tell} />
        </>
      )}
      {mayAct && excluded.users > 0 && [...rounds, ...sales].every(({ state }) => state === 'draft') && (
        <Readmit campaignId={campaignId} onDone={() => finish(words.readmitted)} />
      )}
      {told !== '' && (
        <p class="verdict good" role="status" data-testid="exclusions-told">
          {told}
        </p>
      )}
    </section>
  );
}

interface PartProps<Done> {
  campaignId: string;
  onDone: (done: Done) => void;
}

const pathOf = (campaignId: string, verb: string) => `campaigns/${encodeURIComponent(campaignId)}/${verb}`;

function ExcludeWinners({ campaignId, onDone }: PartProps<Excluded>) {
  const { words } = useWords(WORDS);
  const rains = useRequest<{ rains: RainView[] }>('rains').value?.rains ?? [];
  const campaigns = useRequest<{ campaigns: CampaignView[] }>('campaigns').value?.campaigns ?? [];
  const options = [
    ...campaigns
      .filter((one) => one.campaignId !== campaignId && one.rounds > 0)
      .map((one) => [one.campaignId, `${one.title} (${one.campaignId})`] as const),
    ...rains
      .filter(({ state, terms, campaign }) => state === 'settled' && !terms.rehearsal && campaign?.id !== campaignId)
      .map(({ rainId, title }) => [rainId, `${title} (${rainId})`] as const),
  ];
  return (
    <ExcludeFrom
      {...{ campaignId, onDone, options }}
      verb="exclude"
      field="winnersOf"
      label={words.winners}
      none={words.none}
      action={words.exclude}
      testId="exclude-winners"
    />
  );
}

function ExcludeBuyers({ campaignId, onDone }: PartProps<Excluded>) {
  const { words } = useWords(WORDS);
  const sales = useRequest<{ sales: SaleView[] }>('sales').value?.sales ?? [];
  const options = sales
    .filter(({ state, rehearsal, campaign }) => state === 'settled' && !rehearsal && campaign?.id !== campaignId)
    .map(({ saleId, title }) => [saleId, `${title} (${saleId})`] as const);
  return (
    <ExcludeFrom
      {...{ campaignId, onDone, options }}
      verb="exclude-buyers"
      field="buyersOf"
      label={words.buyers}
      none={words.noSale}
      action={words.excludeBuyers}
      testId="exclude-buyers"
    />
  );
}

interface FromProps extends PartProps<Excluded> {
  options: (readonly [id: string, text: string])[];
  verb: string;
  field: 'winnersOf' | 'buyersOf';
  label: string;
  none: string;
  action: string;
  testId: string;
}

/** Everybody who has won or bought in one of these. */
function ExcludeFrom({ campaignId, onDone, options, verb: name, field, label, none, action, testId }: FromProps) {
  const { api } = useApp();
  const verb = useVerb();
  const [chosen, setChosen] = useState<string>();
  const from = chosen ?? options[0]?.[0];
  if (from === undefined) return <p class="hint">{none}</p>;
  const send = async () => {
    const answered = await verb.run(() => api.post<Excluded>(pathOf(campaignId, name), { [field]: from }));
    if (answered) onDone(answered.done);
  };
  return (
    <div class="acts">
      <Choice label={label} value={from} options={options} onChange={setChosen} />
      <Button pending={verb.pending} onClick={() => void send()} testId={testId}>
        {action}
      </Button>
      <Refused refusal={verb.refusal} />
    </div>
  );
}

function ExcludeListed({ campaignId, onDone }: PartProps<Excluded>) {
  const { words } = useWords(WORDS);
  const { api } = useApp();
  const verb = useVerb();
  const [file, setFile] = useState<Blob>();
  const input = useRef<HTMLInputElement>(null);
  const [read, setRead] = useState<ExcludedList>();
  const post = (list: Blob, query: string) =>
    verb.run(() => api.post<ExcludedList>(pathOf(campaignId, 'exclude-listed') + query, list));
  const clear = () => {
    // Browsers send no file that has changed since it was chosen.
    if (input.current) input.current.value = '';
    setFile(undefined);
    setRead(undefined);
  };
  const choose = async (chosen: Blob | undefined) => {
    setFile(undefined);
    setRead(undefined);
    verb.forget();
    if (!chosen) return;
    const answered = await post(chosen, '?dryRun=yes');
    if (!answered) return clear();
    setRead(answered.done);
    setFile(chosen);
  };
  const send = async (list: Blob) => {
    clear();
    const answered = await post(list, '');
    if (answered) onDone(answered.done);
  };
  return (
    <div class="acts">
      <label>
        {words.file}{' '}
        <input
          type="file"
          accept=".xlsx,.csv,.txt,text/csv"
          ref={input}
          data-testid="excluded-list"
          onChange={(event) => void choose(event.currentTarget.files?.[0])}
        />
      </label>
      <Button
        pending={verb.pending}
        disabled={!file}
        onClick={() => {
          if (file) void send(file);
        }}
        testId="exclude-listed"
      >
        {words.excludeListed}
      </Button>
      <Refused refusal={verb.refusal} />
      {read && (
        <UnderstoodList
          understood={read.understood}
          rows={read.users}
          first={read.first.map((user) =>
            Object.fromEntries(Object.keys(read.understood.columns).map((column) => [column, user])),
          )}
        />
      )}
    </div>
  );
}

function Readmit({ campaignId, onDone }: PartProps<void>) {
  const { words } = useWords(WORDS);
  const { api } = useApp();
  const verb = useVerb();
  const send = async () => {
    if (await verb.run(() => api.post(pathOf(campaignId, 'readmit'), {}))) onDone();
  };
  return (
    <div class="acts">
      <Button pending={verb.pending} onClick={() => void send()} testId="readmit">
        {words.readmit}
      </Button>
      <Refused refusal={verb.refusal} />
    </div>
  );
}
