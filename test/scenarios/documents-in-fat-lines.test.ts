import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openApp } from '../support/app.ts';

/** Counts the turns of the event loop that some work takes. */
const turnsOf = async (work: () => Promise<unknown>): Promise<number> => {
  let turns = 0;
  let isOver = false;
  const turn = () => {
    turns++;
    if (!isOver) setImmediate(turn);
  };
  setImmediate(turn);
  await work();
  isOver = true;
  return turns;
};

test('a plan of long lines yields to others after each of them, while they are read and while they are compared', async () => {
  await using app = await openApp('memory');
  const { api } = app.controller;
  await api.configTypes.create({ body: { name: 'any', schema: {} } });
  const config = (i: number) => ({ configs: { name: `config ${i}`, configType: 'any', data: { text: 'x'.repeat(200_000) } } });
  const body = Array.from({ length: 20 }, (_, i) => `${JSON.stringify(config(i))}\n`).join('');
  const turns = await turnsOf(() => api.state.planLines({ body, access: false }));
  assert.ok(turns >= 40, `${turns} turns`);
});
