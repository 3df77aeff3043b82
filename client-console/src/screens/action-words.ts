import type { ActionVerb } from '../../../src/ledger/actions.ts';
import { bilingual } from '../words/language.ts';

/** The verbs of the audit log. */
export const ACTION_WORDS = bilingual<Record<ActionVerb, string>>({
  create: 'created', load: 'loaded', pause: 'paused', resume: 'resumed', close: 'ended', recycle: 'settled', start: 'started now', 'top-up': 'topped up', tickets: 'tickets changed',
  'create-campaign': 'campaign created', exclude: 'users excluded', readmit: 'users readmitted', schedule: 'rescheduled', repair: 'repaired', 'roll-over': 'rolled over', requeue: 'requeued', discard: 'discarded', 'write-off': 'written off', restore: 'restored', block: 'blocked', unblock: 'unblocked', switch: 'switched',
  'create-sale': 'sale created', 'top-up-sale': 'units added', 'end-sale': 'sale ended', pay: 'order paid', cancel: 'order cancelled', refund: 'order refunded', fail: 'order failed',
  'export-user': 'data of a user exported', 'erase-user': 'user erased',
  participants_import: 'list of participants imported', participants_cards: 'cards opened', participants_renew: 'new code given', participants_remove: 'participants removed',
  theme_set: 'theme made or changed', theme_remove: 'theme removed', theme_file: 'file put into a theme', theme_file_remove: 'file taken out of a theme', greeting: 'greeting changed', template_save: 'template saved', template_remove: 'template removed',
  login: 'signed in', login_failed: 'failed to sign in', logout: 'signed out', operator_add: 'account created', operator_password: 'password changed', operator_disable: 'account disabled', operator_token: 'token created',
  operator_role: 'role changed', operator_end: 'session or token ended', operator_totp: 'one-time codes set up', operator_totp_reset: 'one-time codes taken away', recovery_code: 'recovery code used',
  approval_ask: 'approval asked for', approval_approve: 'approved', approval_refuse: 'refused',
}, {
  create: '创建', load: '装载', pause: '暂停', resume: '继续', close: '结束', recycle: '结算', start: '立即开始', 'top-up': '追加', tickets: '修改门票规则',
  'create-campaign': '创建系列活动', exclude: '排除用户', readmit: '取消排除', schedule: '改期', repair: '修复', 'roll-over': '滚入', requeue: '重新入队', discard: '作废', 'write-off': '核销', restore: '恢复', block: '封禁', unblock: '解封', switch: '切换开关',
  'create-sale': '创建秒杀', 'top-up-sale': '补货', 'end-sale': '结束秒杀', pay: '订单已支付', cancel: '取消订单', refund: '订单退款', fail: '订单失败',
  'export-user': '导出用户数据', 'erase-user': '抹除用户',
  participants_import: '导入参与者名单', participants_cards: '打开入场卡', participants_renew: '更换入场码', participants_remove: '移除参与者',
  theme_set: '新建或更改主题', theme_remove: '删除主题', theme_file: '上传主题文件', theme_file_remove: '取下主题文件', greeting: '更改祝福', template_save: '保存模板', template_remove: '删除模板',
  login: '登录', login_failed: '登录失败', logout: '退出', operator_add: '新建账号', operator_password: '修改密码', operator_disable: '停用账号', operator_token: '生成令牌',
  operator_role: '更改角色', operator_end: '结束登录或令牌', operator_totp: '启用动态验证码', operator_totp_reset: '重置动态验证码', recovery_code: '使用恢复码',
  approval_ask: '申请审批', approval_approve: '批准', approval_refuse: '拒绝',
});

/** A newer server may have recorded a verb that this page does not know. */
export function verbText(words: Record<ActionVerb, string>, verb: string): string {
  return (words as Partial<Record<string, string>>)[verb] ?? verb;
}
