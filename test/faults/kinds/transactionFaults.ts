import { eventually } from '../../support/eventually.ts';
import type { Fault } from '../fault.ts';
import type { Lines } from '../means/lines.ts';
import { refuseCredits, type Refusing } from '../means/obstacle.ts';
import { deadlock } from '../means/opposite.ts';
import type { Scene } from '../run.ts';

// Enough packets for wins until the end, so that there is always another credit.
const rain = { windowMs: 2_500, packets: 290 };

function refuse(refusing: Refusing) {
  return async ({ databaseUrl, rainId }: Scene): Promise<void> => {
    const obstacle = await refuseCredits(databaseUrl, rainId, refusing);
    try {
      await eventually(async () => (await obstacle.met()) === refusing.times, { timeoutMs: 20_000 });
    } finally {
      await obstacle.remove();
    }
  };
}

export function transactionFaults(fault: Fault, lines: Lines): void {
  fault(
    'PostgreSQL ends a credit for a deadlock',
    async (scene) => {
      if ((await deadlock(scene)) === 0) throw new Error('there was no deadlock');
    },
    { when: 'swing', rain },
  );

  fault('PostgreSQL cannot serialize a credit, five times', refuse({ code: '40001', when: 'statement', times: 5 }), {
    when: 'swing',
    rain,
  });

  fault('PostgreSQL has no room at COMMIT, five times', refuse({ code: '53100', when: 'commit', times: 5 }), {
    when: 'swing',
    rain,
  });

  fault(
    'the answer to COMMIT is lost, three times',
    async () => {
      const line = lines.workersToPostgres;
      const before = line.trips();
      line.arm('COMMIT', 3);
      await eventually(() => line.trips() === before + 3, { timeoutMs: 20_000 });
    },
    { when: 'swing', rain },
  );
}
