import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import type { Family } from '../family.ts';

/** An account has so many, and viewers all together. */
const [OF_ACCOUNT, OF_VIEWERS] = [20, 160];

/** Live streams of viewers, who may only read, in the place of those of operators. */
export const liveStreams: Family = {
  name: 'live streams',
  async attack(scene, attempts) {
    const { port } = scene.console;
    const path = `/api/console/rains/${await scene.rain()}/live`;
    const open: IncomingMessage[] = [];
    const watch = async (token: string, from: string) => {
      const asking = request({
        host: '127.0.0.1',
        port,
        path,
        localAddress: from,
        agent: false,
        headers: { authorization: `Bearer ${token}` },
      }).end();
      const [answer] = (await once(asking, 'response')) as [IncomingMessage];
      answer.on('error', () => {}).resume();
      open.push(answer);
      return answer.statusCode;
    };
    const many = async (token: string, count: number) => {
      const from = scene.address();
      const statuses = await Promise.all(Array.from({ length: count }, () => watch(token, from)));
      return statuses.filter((status) => status === 200).length;
    };
    try {
      attempts.refused('sixty streams of one viewer', await many(scene.staff.viewer.token, 60), OF_ACCOUNT);
      let streams = OF_ACCOUNT;
      for (let n = 0; n < 9; n++) {
        const { token } = await scene.addStaff(`watcher-${n}`, 'viewer');
        streams += await many(token, OF_ACCOUNT);
      }
      attempts.refused('two hundred streams of ten viewers', streams, OF_VIEWERS);
      attempts.control('an operator watches', await many(scene.staff.operator.token, 1), 1);
    } finally {
      for (const answer of open) answer.destroy();
    }
  },
};
