import { useState } from 'preact/hooks';
import type { Session } from '../state/responses.ts';
import type { ApiClient, Refusal } from '../state/request.ts';
import { useVerb } from '../state/useApi.ts';
import { Button } from '../components/button.tsx';
import { Field } from '../components/field.tsx';
import { Refused } from '../components/awaited.tsx';
import { bilingual, useWords, type Language } from '../words/language.ts';

const WORDS = bilingual(
  {
    title: 'Red-packet rain',
    sub: "The operator's console",
    expired: 'You were signed out. Sign in to continue. Nothing you typed is lost.',
    name: 'Name',
    password: 'Password',
    code: 'Code',
    codeHint: 'Six digits from your app, or a recovery code.',
    wrongCode: 'The code is wrong, or was used already. Wait for the next one.',
    enter: 'Sign in',
    wrong: 'The name or the password is wrong.',
    language: '中文',
    hint: "No account yet? The server's administrator can create one:",
    up: 'prints a name and a password in its terminal when it is started for the first time.',
  },
  {
    title: '红包雨',
    sub: '操作员控制台',
    expired: '登录已过期。请重新登录，之前填写的内容都还在。',
    name: '用户名',
    password: '密码',
    code: '验证码',
    codeHint: '验证器应用中的六位数字，或一个恢复码。',
    wrongCode: '验证码不正确或已使用，请等待下一个。',
    enter: '登录',
    wrong: '用户名或密码不正确。',
    language: 'English',
    hint: '还没有账号？请服务器管理员创建：',
    up: '首次启动时会在终端打印账号和密码。',
  },
);

interface LoginProps {
  api: ApiClient;
  expired: boolean;
  name: string | undefined;
  onEnter: (session: Session) => void;
  onLanguage: (language: Language) => void;
}

export function Login({ api, expired, name: known = '', onEnter, onLanguage }: LoginProps) {
  const { words, language } = useWords(WORDS);
  const [name, setName] = useState(known);
  const [password, setPassword] = useState('');
  const [code, setCode] = useState('');
  const [asksCode, setAsksCode] = useState(false);
  const verb = useVerb();
  const enter = async () => {
    const entered = await verb.run(async () => {
      const answer = await api.post<Session>('session', { name: name.trim(), password, ...(asksCode && { code }) });
      // The password stays for the second step, and only for it.
      const more = !answer.ok && (answer.refusal.code === 'code_needed' || answer.refusal.code === 'wrong_code');
      setAsksCode(more);
      if (!more) setPassword('');
      return answer;
    });
    setCode('');
    if (entered) onEnter(entered.done);
  };

  return (
    <main class="login" data-testid="login">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void enter();
        }}
      >
        <img src="./favicon.svg" alt="" width="56" height="56" />
        <h1>{words.title}</h1>
        <p class="sub">{expired ? words.expired : words.sub}</p>
        <Field
          label={words.name}
          value={name}
          onInput={setName}
          autocomplete="username"
          required
          autofocus={!expired}
          testId="name"
        />
        <Field
          label={words.password}
          value={password}
          onInput={setPassword}
          type="password"
          autocomplete="current-password"
          required
          autofocus={expired}
          testId="password"
        />
        {asksCode && (
          <Field
            label={words.code}
            value={code}
            onInput={setCode}
            hint={words.codeHint}
            autocomplete="one-time-code"
            required
            autofocus
            testId="code"
          />
        )}
        <Refused refusal={shown(verb.refusal, words)} />
        <Button type="submit" variant="main" pending={verb.pending} testId="enter">
          {words.enter}
        </Button>
        <p class="hint">
          {words.hint} <code>rain operator add</code>
          <br />
          <code>npm start</code> (<code>rain up</code>) {words.up}
        </p>
        <Button variant="quiet" onClick={() => onLanguage(language === 'en' ? 'zh' : 'en')}>
          <span lang={language === 'en' ? 'zh-CN' : 'en'}>{words.language}</span>
        </Button>
      </form>
    </main>
  );
}

/** In the page's own words. That a code is needed is no failure: its field appears. */
function shown(
  refusal: Refusal | undefined,
  { wrong, wrongCode }: { wrong: string; wrongCode: string },
): Refusal | undefined {
  switch (refusal?.code) {
    case 'code_needed':
      return undefined;
    case 'wrong_password':
      return { ...refusal, reason: wrong };
    case 'wrong_code':
      return { ...refusal, reason: wrongCode };
    default:
      return refusal;
  }
}
