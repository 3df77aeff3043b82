import { createRainClient } from './client.js';

const byId = (id) => document.getElementById(id);
const [title, when, signIn, open, told, wallet, balance] = [
  'title',
  'when',
  'sign-in',
  'open',
  'told',
  'wallet',
  'balance',
].map(byId);

/** 抢红包的每一种结果，见 docs/reference/client.md。 */
const OUTCOMES = {
  nothing_left: '手慢了，红包抢完了',
  ended: '红包雨已经结束',
  not_started: '还没开始，别急',
  paused: '主办方暂停了红包雨，请稍候',
  unanswered: '网络有点慢，请再点一次',
  blocked: '当前账号不能参加',
  no_such_rain: '没有这场红包雨',
  win_limit_reached: '你在本次活动中的红包已经领满',
};
const AGAIN = new Set(['not_started', 'paused', 'unanswered']);

let rain;
let over = false;

function say(text, won = false) {
  told.textContent = text;
  told.classList.toggle('won', won);
}

/** 我们自己的服务器；没有登录时是 undefined。 */
async function ask(path, options) {
  const answer = await fetch(path, options);
  if (answer.status === 401) return undefined;
  if (!answer.ok) throw new Error(`${path}: ${answer.status}`);
  return answer;
}

async function showWallet() {
  const answer = await ask('/me');
  if (answer) balance.textContent = (await answer.json()).balance;
  wallet.hidden = !answer;
  return answer !== undefined;
}

async function start() {
  const signedIn = await showWallet();
  signIn.hidden = signedIn;
  open.hidden = !signedIn;
  if (!signedIn) return say('请先登录');
  const client = createRainClient({
    url: await (await ask('/gateway')).text(),
    token: async () => (await ask('/rain-token'))?.text(),
  });
  client.on('won', ({ amount }) => {
    over = true;
    say(`恭喜，抢到 ${amount} 元`, true);
  });
  client.on('credited', async ({ amount }) => {
    over = true;
    say(`${amount} 元已到账`, true);
    await showWallet();
  });
  // 没有指定时，参加最近的一场；打开页面以后公布的也算。
  const wanted = new URLSearchParams(location.search).get('rain');
  client.on('rain', (snapshot) => {
    if (!rain && snapshot.rainId === (wanted ?? snapshot.rainId)) {
      rain = snapshot;
      void client.join(rain.rainId);
    }
    if (snapshot.rainId === rain?.rainId) title.textContent = snapshot.title;
  });
  open.addEventListener('click', () => void grab(client));
  setInterval(() => tick(client), 200);
  say('红包雨还没有安排');
  const {
    rains: [first],
  } = await client.connect();
  const rainId = wanted ?? first?.rainId;
  if (rainId !== undefined) await client.join(rainId);
}

/** 倒计时跟服务器的钟走，不跟手机的钟走。 */
function tick(client) {
  const now = rain && client.rain(rain.rainId);
  if (!now) return;
  const seconds = Math.ceil((now.opensAt - client.serverNow()) / 1_000);
  when.textContent =
    now.state === 'loaded' && seconds > 0
      ? `还有 ${Math.floor(seconds / 60)} 分 ${seconds % 60} 秒开始`
      : ({ open: '红包雨进行中', paused: '红包雨暂停中', closed: '红包雨已经结束', settled: '红包雨已经结束' }[
          now.state
        ] ?? '');
  if (told.textContent === '红包雨还没有安排') say('开始后点“開”抢红包');
  open.disabled = over || now.state !== 'open';
}

async function grab(client) {
  open.disabled = true;
  const outcome = await client.grab(rain.rainId);
  if ('amount' in outcome) return;
  say(OUTCOMES[outcome.kind] ?? outcome.reason ?? '没有抢到');
  // 有了结果，就不再让人点。
  over = !AGAIN.has(outcome.kind);
}

async function enter() {
  const body = JSON.stringify(Object.fromEntries(new FormData(signIn)));
  const answer = await ask('/session', { method: 'POST', headers: { 'content-type': 'application/json' }, body });
  if (answer) await start();
  else say('账号或密码不对，请再试一次');
}

const unreachable = () => say('连接不上，请稍后刷新页面');

signIn.addEventListener('submit', (event) => {
  event.preventDefault();
  enter().catch(unreachable);
});

start().catch(unreachable);
