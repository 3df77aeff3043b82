import { existsSync, mkdirSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Both versions of control groups are in use; containers often allow neither. */
const [V1, V2] = ['/sys/fs/cgroup/cpu', '/sys/fs/cgroup'];

/**
 * Holds each of these processes to a part of one core.
 * @param quotaUs processor time, µs, that each has in every `periodUs`
 * @throws where this process may not make control groups
 */
export function holdToQuota(pids: readonly number[], quotaUs: number, periodUs: number) {
  const isV1 = existsSync(join(V1, 'cpu.cfs_quota_us'));
  const groups = pids.map((pid) => {
    const group = join(isV1 ? V1 : V2, `rain-bench-${pid}`);
    mkdirSync(group);
    if (isV1) writeFileSync(join(group, 'cpu.cfs_period_us'), String(periodUs));
    writeFileSync(join(group, 'cgroup.procs'), String(pid));
    return group;
  });
  return {
    /** Stocking is not what is measured. */
    set(isHeld: boolean): void {
      for (const group of groups) {
        if (isV1) writeFileSync(join(group, 'cpu.cfs_quota_us'), isHeld ? String(quotaUs) : '-1');
        else writeFileSync(join(group, 'cpu.max'), `${isHeld ? quotaUs : 'max'} ${periodUs}`);
      }
    },
    /** To be called when the processes have ended. */
    remove(): void {
      for (const group of groups) rmdirSync(group);
    },
  };
}
