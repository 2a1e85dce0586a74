import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DISASTERS } from '../../scripts/disasters/index.ts';
import { rehearsed } from '../../scripts/disasters/trial.ts';

/** Those that take seconds, and need no other server, with the time that they go on. ms */
const SHORT = { 'kills-on-sqlite': 10_000, 'exhausted-descriptors': 6_000 };

for (const [name, durationMs] of Object.entries(SHORT)) {
  const disaster = DISASTERS[name];
  test(`nothing that was acknowledged is lost: ${name}`, { skip: disaster?.missing() ?? false }, async (t) => {
    assert.ok(disaster);
    const { happened, acknowledged, failed, lost } = await rehearsed(disaster, durationMs);
    t.diagnostic(`${happened}; ${acknowledged} operations acknowledged, ${failed} failed, ${lost} lost`);
    assert.ok(acknowledged > 0);
    assert.equal(lost, 0);
  });
}
