import { bilingual } from '../words/language.ts';

/** The verbs of the audit log. A verb that is missing here is shown by its own name. */
export const ACTION_WORDS = bilingual<Record<string, string>>({
  create: 'created', load: 'loaded', pause: 'paused', resume: 'resumed', close: 'ended', recycle: 'settled', start: 'started now', 'top-up': 'topped up',
  'create-campaign': 'campaign created', schedule: 'rescheduled', repair: 'repaired', 'roll-over': 'rolled over', requeue: 'requeued', discard: 'discarded', 'write-off': 'written off', block: 'blocked', unblock: 'unblocked', switch: 'switched',
  login: 'signed in', 'login-failed': 'failed to sign in', logout: 'signed out', 'operator-add': 'account created', 'operator-password': 'password changed', 'operator-disable': 'account disabled', 'operator-token': 'token created',
}, {
  create: '创建', load: '装载', pause: '暂停', resume: '继续', close: '结束', recycle: '结算', start: '立即开始', 'top-up': '追加',
  'create-campaign': '创建系列活动', schedule: '改期', repair: '修复', 'roll-over': '滚入', requeue: '重新入队', discard: '作废', 'write-off': '核销', block: '封禁', unblock: '解封', switch: '切换开关',
  login: '登录', 'login-failed': '登录失败', logout: '退出', 'operator-add': '新建账号', 'operator-password': '修改密码', 'operator-disable': '停用账号', 'operator-token': '生成令牌',
});
