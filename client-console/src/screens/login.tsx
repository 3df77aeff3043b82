import { useState } from 'preact/hooks';
import type { Session } from '../state/responses.ts';
import type { ApiClient, Refusal } from '../state/request.ts';
import { useVerb } from '../state/useApi.ts';
import { Button } from '../components/button.tsx';
import { Field } from '../components/field.tsx';
import { Refused } from '../components/awaited.tsx';
import { bilingual, useWords, type Language } from '../words/language.ts';

const WORDS = bilingual({
  title: 'Red-packet rain', sub: 'The operator\'s console', expired: 'You were signed out. Sign in to continue. Nothing you typed is lost.',
  name: 'Name', password: 'Password', enter: 'Sign in', wrong: 'The name or the password is wrong.', language: '中文',
  hint: 'No account yet? The server\'s administrator can create one:', up: '`rain up` prints a name and a password in its terminal.',
}, {
  title: '红包雨', sub: '操作员控制台', expired: '登录已过期。请重新登录，之前填写的内容都还在。',
  name: '用户名', password: '密码', enter: '登录', wrong: '用户名或密码不正确。', language: 'English',
  hint: '还没有账号？请服务器管理员创建：', up: '用 `rain up` 启动时，账号密码已打印在终端。',
});

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
  const verb = useVerb();
  const enter = async () => {
    const entered = await verb.run(() => api.post<Session>('session', { name: name.trim(), password }));
    setPassword('');
    if (entered) onEnter(entered.done);
  };
  const wrong: Refusal | undefined = verb.refusal?.code === 'wrong_password' ? { ...verb.refusal, code: 'wrong', reason: words.wrong } : verb.refusal;

  return (
    <main class="login" data-testid="login">
      <form onSubmit={(event) => { event.preventDefault(); void enter(); }}>
        <img src="./favicon.svg" alt="" width="56" height="56" />
        <h1>{words.title}</h1>
        <p class="sub">{expired ? words.expired : words.sub}</p>
        <Field label={words.name} value={name} onInput={setName} autocomplete="username" required autofocus={!expired} testId="name" />
        <Field label={words.password} value={password} onInput={setPassword} type="password" autocomplete="current-password" required autofocus={expired} testId="password" />
        <Refused refusal={wrong} />
        <Button type="submit" variant="main" pending={verb.pending} testId="enter">{words.enter}</Button>
        <p class="hint">{words.hint} <code>rain operator add</code><br />{words.up}</p>
        <Button variant="quiet" onClick={() => onLanguage(language === 'en' ? 'zh' : 'en')}><span lang={language === 'en' ? 'zh-CN' : 'en'}>{words.language}</span></Button>
      </form>
    </main>
  );
}
