import assert from 'node:assert/strict';
import { test } from 'node:test';
import { messages } from '../../../src/fabric/control-channel/messages/index.ts';
import { testNetwork } from '../../../testing/index.ts';
import { directRouter } from '../../support/control-channel/direct-router.ts';
import { countTurns } from '../../support/turns.ts';
import { until } from '../../support/until.ts';

const SILENT = { error: () => undefined, warn: () => undefined, info: () => undefined };

test('routers that say hello together are admitted with turns for others between them', async () => {
  await using network = await testNetwork({ platform: { logger: SILENT } });
  const routers = await Promise.all(Array.from({ length: 12 }, (_, i) => network.edgeRouter(`router-${i}`)));
  for (const router of routers) {
    await router.connect();
    router.disconnect();
  }
  network.clock.advance('2m');
  await network.settled();
  using others = countTurns();
  /** The turns in which the routers were welcomed. */
  const welcomed = new Set<number>();
  await Promise.all(
    routers.map(async (router) => {
      const connected = await directRouter(network, router);
      await until(() => connected.came.some(({ contentType }) => contentType === messages.channel.result.contentType));
      welcomed.add(others.turns);
    }),
  );
  assert.ok(welcomed.size >= routers.length / 2, `${welcomed.size} turns`);
});
