import assert from 'node:assert/strict';
import { once } from 'node:events';
import http from 'node:http';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { nodeHandler, type Serving, serve } from '../../../adapters/http/node.ts';
import { handlerOf, M } from '../../unit/http/fake-api.ts';
import { closeAll, head, POST, start } from './servings.ts';
import { beatsOf, codeOf, connect, SOON, statusOf } from './sockets.ts';

let serving: Serving;
before(async () => {
  serving = await start();
});
after(closeAll);

describe('well-behaved clients', () => {
  test('pipelined requests are answered in order', async () => {
    const last = Promise.withResolvers<void>();
    const slow = await start({
      get: async (_, input) => {
        if (input['id'] === 'c') last.resolve();
        if (input['id'] === 'a') await last.promise;
        return input;
      },
    });
    const bare = connect(slow);
    bare.write(['a', 'b', 'c'].map((id) => head('GET', `${M}/things/${id}`)).join(''));
    const text = await bare.until(/"id":"c"/);
    assert.deepEqual(
      [...text.matchAll(/"id":"(\w)"/g)].map((match) => match[1]),
      ['a', 'b', 'c'],
    );
    bare.socket.destroy();
  });

  test('100 Continue is said only once the body is wanted', async () => {
    const wanted = connect(serving);
    wanted.write(head('POST', `${M}/things`, ...POST, 'Content-Length: 12', 'Expect: 100-continue'));
    await wanted.until(/^HTTP\/1.1 100 Continue/);
    wanted.write('{"name":"x"}');
    await wanted.until(/HTTP\/1.1 201/);
    wanted.socket.destroy();
    const refused = connect(serving);
    refused.write(head('POST', '/nope', ...POST, 'Content-Length: 12', 'Expect: 100-continue'));
    const { text } = await refused.closed;
    assert.equal(statusOf(text), 404);
  });
});

describe('too much at once', () => {
  test('requests beyond the bound get 503 with Retry-After, and places become free again', async () => {
    const [gate, full] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    let begun = 0;
    const get = () => {
      if (++begun === 2) full.resolve();
      return gate.promise.then(() => ({}));
    };
    const small = await start({ get }, { maxConcurrent: 2 });
    const waiting = [connect(small), connect(small)];
    for (const bare of waiting) bare.write(head('GET', `${M}/things/a`));
    await full.promise;
    const third = connect(small);
    third.write(head('GET', `${M}/things/a`));
    const text = await third.until(/"meta"/);
    assert.deepEqual([statusOf(text), codeOf(text)], [503, 'SERVER_UNAVAILABLE']);
    assert.match(text, /retry-after: 1/i);
    gate.resolve();
    for (const bare of waiting) assert.equal(statusOf(await bare.until(/"meta"/)), 200);
    third.write(head('GET', `${M}/things/again`));
    await third.until(/HTTP\/1.1 200/);
    for (const bare of [...waiting, third]) bare.socket.destroy();
  });

  test('connections beyond the bound are closed', async () => {
    const small = await start({}, { maxConnections: 1 });
    const first = connect(small);
    first.write(head('GET', '/version'));
    await first.until(/"meta"/);
    assert.equal((await connect(small).closed).text, '');
    first.socket.destroy();
  });
});

describe('closing', () => {
  test('what is under way is answered and its connection closed, and no new one is taken', async () => {
    const [begun, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<object>()];
    const get = () => {
      begun.resolve();
      return gate.promise;
    };
    const slow = await start({ get });
    const bare = connect(slow);
    bare.write(head('GET', `${M}/things/a`));
    await begun.promise;
    const closing = slow.close(60_000);
    gate.resolve({});
    const { text } = await bare.closed;
    assert.equal(statusOf(text), 200);
    assert.match(text, /Connection: close/i);
    await closing;
    assert.equal((await connect(slow).closed).text, '');
  });

  test('idle and silent connections do not hold it up', async () => {
    const idle = await start();
    const used = connect(idle);
    used.write(head('GET', '/version'));
    await used.until(/"meta"/);
    const silent = connect(idle);
    await once(silent.socket, 'secureConnect');
    const [drained] = await Promise.all([beatsOf(idle.close(5000)), used.closed, silent.closed]);
    assert.ok(drained < SOON, String(drained));
  });

  test('work that does not end is cut off after the bound', async () => {
    const [begun, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<object>()];
    const get = () => {
      begun.resolve();
      return gate.promise;
    };
    const stuck = await start({ get }, {}, 60_000);
    const bare = connect(stuck);
    bare.write(head('GET', `${M}/things/a`));
    await begun.promise;
    let isEarly = true;
    const early = sleep(150).then(() => {
      isEarly = false;
    });
    const drained = await beatsOf(stuck.close(200));
    assert.ok(!isEarly, 'cut off at once');
    assert.ok(drained < SOON, String(drained));
    await Promise.all([early, bare.closed]);
    // Or the time limit of the call keeps this process for a minute.
    gate.resolve({});
  });

  test('closing twice is closing once', async () => {
    const twice = await start();
    await Promise.all([twice.close(), twice.close()]);
    const [error] = await once(connect(twice).socket, 'error');
    assert.equal(error.code, 'ECONNREFUSED');
  });

  test('a port that is taken is an error', async () => {
    const one = await start();
    await assert.rejects(serve({ controller: { handle: handlerOf() }, port: one.port }), { code: 'EADDRINUSE' });
  });
});

describe('mounted in another server', () => {
  test('without anybody else, other paths are not found', async () => {
    const server = http.createServer(nodeHandler({ handle: handlerOf() }, { mount: '/overlay' }));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as { port: number };
    const answer = await fetch(`http://127.0.0.1:${port}/other`);
    assert.deepEqual([answer.status, codeOf(await answer.text())], [404, 'NOT_FOUND']);
    server.close();
    server.closeAllConnections();
  });
});
