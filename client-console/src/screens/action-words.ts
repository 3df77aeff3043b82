import type { ActionVerb } from '../../../src/ledger/actions.ts';
import { bilingual } from '../words/language.ts';

/** The verbs of the audit log. */
export const ACTION_WORDS = bilingual<Record<ActionVerb, string>>({
  create: 'created', load: 'loaded', pause: 'paused', resume: 'resumed', close: 'ended', recycle: 'settled', start: 'started now', 'top-up': 'topped up',
  'create-campaign': 'campaign created', schedule: 'rescheduled', repair: 'repaired', 'roll-over': 'rolled over', requeue: 'requeued', discard: 'discarded', 'write-off': 'written off', restore: 'restored', block: 'blocked', unblock: 'unblocked', switch: 'switched',
  login: 'signed in', login_failed: 'failed to sign in', logout: 'signed out', operator_add: 'account created', operator_password: 'password changed', operator_disable: 'account disabled', operator_token: 'token created',
}, {
  create: '创建', load: '装载', pause: '暂停', resume: '继续', close: '结束', recycle: '结算', start: '立即开始', 'top-up': '追加',
  'create-campaign': '创建系列活动', schedule: '改期', repair: '修复', 'roll-over': '滚入', requeue: '重新入队', discard: '作废', 'write-off': '核销', restore: '恢复', block: '封禁', unblock: '解封', switch: '切换开关',
  login: '登录', login_failed: '登录失败', logout: '退出', operator_add: '新建账号', operator_password: '修改密码', operator_disable: '停用账号', operator_token: '生成令牌',
});

/** A newer server may have recorded a verb that this page does not know. */
export function verbText(words: Record<ActionVerb, string>, verb: string): string {
  return (words as Partial<Record<string, string>>)[verb] ?? verb;
}
