import { useState } from 'preact/hooks';
import type { Switch } from '../state/responses.ts';
import { useApp, useRequest, useVerb } from '../state/useApi.ts';
import { Dialog } from '../components/dialog.tsx';
import { Awaited } from '../components/awaited.tsx';
import { DurationChoice, Field, FOREVER, Segments } from '../components/field.tsx';
import { momentText } from '../words/figures.ts';
import { bilingual, useWords } from '../words/language.ts';
import { refusalsFor } from './create/draft.ts';

const REFRESH_MS = 10_000;
type Position = 'on' | 'off' | 'auto';

const WORDS = bilingual(
  {
    title: 'Switches',
    told: 'What the gateways stop serving under pressure, in this order. Each gateway decides itself, unless you set a switch. No switch affects money.',
    names: { ticker: "Winners' ticker", joins: 'Joining a rain', sockets: 'New sockets', grabs: 'Grabs' } as Record<
      Switch['name'],
      string
    >,
    serves: {
      ticker: 'Players see who else has won',
      joins: 'Players can join a rain',
      sockets: 'New players can connect',
      grabs: 'Every tap is decided',
    } as Record<Switch['name'], string>,
    effects: {
      ticker: 'Players do not see who else has won.',
      joins: 'Players who have not joined a rain yet have to wait.',
      sockets: 'New players cannot connect.',
      grabs: 'Every tap is answered “busy, try again”.',
    } as Record<Switch['name'], string>,
    auto: (serves: string, name: Switch['name']) =>
      `${serves}, except ${name === 'grabs' ? 'while Redis does not answer' : 'at a gateway under pressure'}.`,
    always: (serves: string) => `${serves}, even under pressure.`,
    positions: { auto: 'Auto', on: 'On', off: 'Off' } as Record<Position, string>,
    term: 'Duration',
    asks: {
      on: (name: string) => `Serve “${name}” even under pressure?`,
      off: (name: string) => `Stop serving “${name}” on every gateway?`,
      auto: (name: string) => `Let each gateway decide about “${name}”?`,
    } as Record<Position, (name: string) => string>,
    held: (actor: string, since: string) => `Set by ${actor} since ${since}`,
    until: (moment: string) => `until ${moment}`,
    within: 'Every gateway applies it within a second.',
  },
  {
    title: '开关',
    told: '压力下网关依次放弃的功能。默认由网关自行决定，也可以由您手动设定。任何开关都不影响资金。',
    names: { ticker: '中奖播报', joins: '进入场次', sockets: '新连接', grabs: '抢红包' },
    serves: {
      ticker: '玩家能看到其他人的中奖',
      joins: '玩家可以进场',
      sockets: '新的观众可以连接',
      grabs: '每次点击都会判定',
    },
    effects: {
      ticker: '玩家看不到其他人的中奖。',
      joins: '还没进场的人需要等待。',
      sockets: '不再接受新的观众。',
      grabs: '每次点击都会得到“繁忙，请重试”。',
    },
    auto: (serves, name) => `${serves}，${name === 'grabs' ? '除非 Redis 没有应答' : '承压的网关除外'}。`,
    always: (serves) => `${serves}，压力再大也照常提供。`,
    positions: { auto: '自动', on: '强制开', off: '强制关' },
    term: '时长',
    asks: {
      on: (name) => `无论压力多大都提供“${name}”？`,
      off: (name) => `在所有网关关闭“${name}”？`,
      auto: (name) => `让网关自行决定“${name}”？`,
    },
    held: (actor, since) => `${actor} 于 ${since} 设定`,
    until: (moment) => `至 ${moment}`,
    within: '所有网关一秒内生效。',
  },
);

const positionOf = ({ held, position }: Switch): Position => held?.position ?? position;

export function Switches() {
  const { words, language } = useWords(WORDS);
  const { mayAct } = useApp();
  const request = useRequest<{ switches: Switch[] }>('switches', REFRESH_MS);
  const [chosen, setChosen] = useState<{ name: Switch['name']; position: Position }>();
  /** The service of the gateways now, as far as the switch decides it. */
  const nowText = (one: Switch): string => {
    const [position, serves] = [positionOf(one), words.serves[one.name]];
    return position === 'off'
      ? words.effects[one.name]
      : position === 'on'
        ? words.always(serves)
        : words.auto(serves, one.name);
  };
  return (
    <>
      <header class="head">
        <div>
          <h1>{words.title}</h1>
          <p class="sub">{words.told}</p>
        </div>
      </header>
      <Awaited request={request}>
        {({ switches }) => (
          <ol class="switches">
            {switches.map((one) => (
              <li key={one.name} class="card switch" data-testid={`switch-${one.name}`} data-position={positionOf(one)}>
                <div>
                  <h2>{words.names[one.name] ?? one.name}</h2>
                  <p data-testid="switch-now">{nowText(one)}</p>
                  {one.held && (
                    <p class="hint">
                      {words.held(one.held.actor, momentText(one.held.since, language))}
                      {one.held.until !== undefined && `, ${words.until(momentText(one.held.until, language))}`}:{' '}
                      {one.held.reason}
                    </p>
                  )}
                </div>
                {mayAct ? (
                  <Segments
                    label={words.names[one.name] ?? one.name}
                    value={positionOf(one)}
                    options={Object.entries(words.positions) as [Position, string][]}
                    onChange={(position) => setChosen({ name: one.name, position })}
                  />
                ) : (
                  <span class="chip">{words.positions[positionOf(one)]}</span>
                )}
              </li>
            ))}
          </ol>
        )}
      </Awaited>
      {chosen && (
        <SwitchDialog
          {...chosen}
          onClose={() => {
            setChosen(undefined);
            request.again();
          }}
        />
      )}
    </>
  );
}

function SwitchDialog({ name, position, onClose }: { name: Switch['name']; position: Position; onClose: () => void }) {
  const { words, shared } = useWords(WORDS);
  const { api } = useApp();
  const verb = useVerb();
  const [reason, setReason] = useState('');
  const [term, setTerm] = useState('600000');
  const holds = position !== 'auto';
  const body = holds ? { position, reason, ...(term !== FOREVER && { forMs: Number(term) }) } : { position };
  return (
    <Dialog
      title={words.asks[position](words.names[name] ?? name)}
      act={words.positions[position]}
      variant={position === 'off' ? 'danger' : 'main'}
      verb={verb}
      onAct={() => api.send('PUT', `switches/${name}`, body)}
      onClose={onClose}
      disabled={holds && reason.trim() === ''}
    >
      <p>
        {position === 'off' && words.effects[name]} {words.within}
      </p>
      {holds && (
        <Field
          label={shared.reason}
          value={reason}
          onInput={setReason}
          refusals={refusalsFor(verb.refusals, 'reason')}
          testId="why-switched"
        />
      )}
      {holds && <DurationChoice label={words.term} value={term} onChange={setTerm} />}
    </Dialog>
  );
}
