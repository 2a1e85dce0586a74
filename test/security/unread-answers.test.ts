import assert from 'node:assert/strict';
import { once } from 'node:events';
import { after, test } from 'node:test';
import { closeAll, head, start } from '../adapters/http/servings.ts';
import { connect } from '../adapters/http/sockets.ts';
import { M } from '../unit/http/fake-api.ts';

/** Clients that ask for large answers and read none of them: what is held for all of them has a bound. */

after(closeAll);

const LARGE = 20_000_000;

/** Each answer is larger than what the buffers of the system take. */
const serving = await start({ get: async (_, { id }) => ({ id, text: 'x'.repeat(LARGE) }) }, { maxUnreadBytes: 3.5 * LARGE });

/** A client that asks, and reads no more than the beginning of the answer. */
const asking = async (id: string) => {
  const bare = connect(serving);
  bare.write(head('GET', `${M}/things/${id}`, 'Connection: close'));
  await once(bare.socket, 'readable');
  bare.socket.pause();
  return bare;
};

test('the answer that has waited longest is broken off when those that nobody reads take too much', async () => {
  const first = await asking('first');
  const others = [await asking('second'), await asking('third'), await asking('fourth')];
  first.socket.resume();
  assert.ok((await first.closed).text.length < LARGE);
  for (const { socket, closed } of others) {
    socket.resume();
    assert.ok((await closed).text.length > LARGE);
  }
});
