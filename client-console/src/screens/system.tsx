import type { Gateway, SystemAnswer } from '../state/responses.ts';
import { useNow, useRequest } from '../state/useApi.ts';
import { hashOf } from '../state/route.ts';
import { Awaited, Empty } from '../components/awaited.tsx';
import { Table } from '../components/table.tsx';
import { Stores } from './stores.tsx';
import { countText, durationText } from '../words/figures.ts';
import { bilingual, useWords } from '../words/language.ts';
import { answerName } from '../words/shared.ts';

const REFRESH_MS = 2_000;

const WORDS = bilingual(
  {
    title: 'System',
    up: 'up',
    down: 'DOWN',
    redis: 'Redis',
    database: 'Database',
    workers: 'Workers',
    unknown: 'not known',
    version: 'Version',
    memory: 'Memory',
    gateways: 'Gateways',
    id: 'Process',
    address: 'Address',
    sockets: 'Sockets',
    pending: 'Grabs pending',
    age: 'Running for',
    answers: 'Answered',
    pressed: 'under pressure',
    calm: 'normal',
    pressure: 'Pressure',
    queues: 'Queues',
    none: 'No gateway is running',
    noneTold: 'Players reach a rain through a gateway. Once one is started, it appears here within a second:',
    api: "This console's API (OpenAPI) ↗",
  },
  {
    title: '系统',
    up: '正常',
    down: '故障',
    redis: 'Redis',
    database: '数据库',
    workers: '工作进程',
    unknown: '未知',
    version: '版本',
    memory: '内存',
    gateways: '网关',
    id: '进程',
    address: '地址',
    sockets: '连接数',
    pending: '处理中',
    age: '运行时长',
    answers: '已应答',
    pressed: '承压',
    calm: '平稳',
    pressure: '压力',
    queues: '队列',
    none: '没有发现网关',
    noneTold: '玩家通过网关进入红包雨。启动网关后，一秒内会出现在这里：',
    api: '本控制台的 API（OpenAPI）↗',
  },
);

export function System() {
  const { words } = useWords(WORDS);
  const system = useRequest<SystemAnswer>('system', REFRESH_MS);
  const gateways = useRequest<{ gateways: Gateway[] }>('gateways', REFRESH_MS);
  return (
    <>
      <header class="head">
        <h1>{words.title}</h1>
      </header>
      <Awaited request={system}>{(found) => <Servers system={found} />}</Awaited>
      <h2 class="between">{words.gateways}</h2>
      <Awaited request={gateways}>
        {({ gateways: all }) =>
          all.length === 0 ? (
            <Empty title={words.none} calm>
              <p>
                {words.noneTold} <code>rain gateway</code>
              </p>
            </Empty>
          ) : (
            <GatewayTable gateways={all} />
          )
        }
      </Awaited>
      <p class="links">
        <a href={hashOf({ screen: 'queues' })}>{words.queues}</a>{' '}
        <a href="../api/console/openapi.json" target="_blank" rel="noopener">
          {words.api}
        </a>
      </p>
    </>
  );
}

function Servers({ system }: { system: SystemAnswer }) {
  const { words } = useWords(WORDS);
  const { redis, database, workers, version } = system;
  const health = (up: boolean) => (
    <span class="health" data-up={up}>
      {up ? words.up : words.down}
    </span>
  );
  return (
    <>
      <dl class="figures card">
        <div>
          <dt>{words.redis}</dt>
          <dd>
            {health(redis.up)}
            <small>
              {redis.version}{' '}
              {redis.usedMemoryBytes !== undefined && `· ${(redis.usedMemoryBytes / 2 ** 20).toFixed(1)} MiB`}
            </small>
          </dd>
        </div>
        <div>
          <dt>{words.database}</dt>
          <dd>{health(database.up)}</dd>
        </div>
        <div>
          <dt>{words.workers}</dt>
          <dd>{workers ?? words.unknown}</dd>
        </div>
        <div>
          <dt>{words.version}</dt>
          <dd>{version}</dd>
        </div>
      </dl>
      <Stores system={system} />
    </>
  );
}

function GatewayTable({ gateways }: { gateways: readonly Gateway[] }) {
  const { words, shared, language } = useWords(WORDS);
  const now = useNow();
  return (
    <Table label={words.gateways}>
      <thead>
        <tr>
          <th>{words.address}</th>
          <th class="number">{words.sockets}</th>
          <th class="number">{words.pending}</th>
          <th>{words.pressure}</th>
          <th>{words.answers}</th>
          <th>{words.age}</th>
          <th>{words.version}</th>
        </tr>
      </thead>
      <tbody>
        {gateways.map(({ id, address, sockets, grabsPending, pressed, answers, startedAt, version }) => (
          <tr key={id} data-testid="gateway">
            <th scope="row">{address}</th>
            <td class="number">{countText(sockets)}</td>
            <td class="number">{countText(grabsPending)}</td>
            <td>
              <span class="health" data-up={!pressed}>
                {pressed ? words.pressed : words.calm}
              </span>
            </td>
            <td class="details">
              {Object.entries(answers)
                .filter(([, count]) => count > 0)
                .map(([code, count]) => (
                  <span key={code}>
                    <i>{answerName(shared, code)}</i> {countText(count)}
                  </span>
                ))}
            </td>
            <td>{durationText(Math.max(0, now - Date.parse(startedAt)), language)}</td>
            <td>{version}</td>
          </tr>
        ))}
      </tbody>
    </Table>
  );
}
