import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { test } from 'node:test';
import { nodeHandler } from '../../adapters/http/node.ts';
import { ADMIN, type App, onEveryStore, PASSWORD } from '../support/app.ts';
import { counted } from '../support/counted.ts';
import { heldHasher } from '../support/hasher.ts';
import { newStorage } from '../support/stores.ts';

const LOGIN = '/edge/management/v1/authenticate?method=password';

/** A login from an address, and with a signal, as an adapter hands it on. */
const login = async (
  app: App,
  username: string,
  password: string,
  { from = '192.0.2.1', signal }: { readonly from?: string; readonly signal?: AbortSignal } = {},
) => {
  const { status, headers, body } = await app.controller.handle({
    method: 'POST',
    target: LOGIN,
    header: (name) => (name === 'content-type' ? 'application/json' : undefined),
    body: async () => new TextEncoder().encode(JSON.stringify({ username, password })),
    remoteAddress: from,
    ...(signal ? { signal } : {}),
  });
  return { status, headers, text: String(body) };
};

const tick = () => new Promise<void>((resolve) => setImmediate(resolve));
const until = async (isSo: () => boolean) => {
  for (let i = 0; !isSo(); i++) {
    assert.ok(i < 100_000, `it never was so: ${isSo}`);
    await tick();
  }
};
/** Until what was asked waits where it has to. */
const quiet = async () => {
  for (let i = 0; i < 50; i++) await tick();
};

onEveryStore('floods of logins', (open, store) => {
  const flooded = async (settings: object = {}) => {
    const passwords = heldHasher();
    const { storage, asked } = counted(newStorage(store));
    const app = await open({ storage, platform: { passwords }, settings: { maxPasswordChecks: 2, requestTimeoutMs: 60_000, ...settings } });
    const user = await app.user();
    passwords.hold();
    /** Lets some comparisons end, one after another. */
    const turns = async (count: number) => {
      for (let i = 0; i < count; i++) {
        passwords.releaseOne();
        await until(() => passwords.held() === 2);
      }
    };
    return { app, passwords, user, asked, turns, [Symbol.asyncDispose]: () => app.close() };
  };

  test('logins whose client is gone are not begun', async () => {
    await using it = await flooded();
    const { app, passwords, user } = it;
    const client = new AbortController();
    const before = passwords.counts.verified;
    const gone = Array.from({ length: 250 }, (_, i) => login(app, `guess-${i}`, PASSWORD, { signal: client.signal }));
    await quiet();
    assert.equal(passwords.held(), 2);
    client.abort();
    const right = login(app, user.username, PASSWORD);
    passwords.release();
    assert.equal((await right).status, 200);
    await Promise.all(gone);
    assert.equal(passwords.counts.verified - before, 3, 'the two that had begun, and the right one');
  });

  test('one address does not keep the others out, and is refused before the store is asked', async () => {
    await using it = await flooded({ maxQueuedPasswordChecks: 20 });
    const { app, passwords, user, asked, turns } = it;
    // The room for administrators is taken: whether a name is one of theirs is not asked then.
    const administrators = [1, 2, 3].map(() => login(app, ADMIN.username, ADMIN.password, { from: '192.0.2.3' }));
    await quiet();
    let answers: ReturnType<typeof login>[] = [];
    let refusals = 0;
    const questions = await asked(async () => {
      answers = Array.from({ length: 400 }, (_, i) => login(app, `guess-${i}`, 'a wrong password'));
      for (const answer of answers) void answer.then(({ status }) => void (refusals += status === 429 ? 1 : 0));
      await until(() => refusals === 400 - 1 - 19);
    });
    assert.deepEqual(questions, ['read', 'list authenticator', 'get identity', 'get authPolicy'], 'those of the one that has begun');
    const right = login(app, user.username, PASSWORD, { from: '192.0.2.2' });
    await quiet();
    await turns(6);
    assert.equal((await right).status, 200, 'after those before it, and one turn of each address');
    passwords.release();
    for (const { status } of await Promise.all(administrators)) assert.equal(status, 200);
    const [refused, tried] = [429, 401].map(async (wanted) => (await Promise.all(answers)).filter(({ status }) => status === wanted));
    assert.equal((await refused)?.length, 400 - 1 - 19 + 1);
    assert.deepEqual([...new Set((await refused)?.map(({ headers }) => headers['retry-after']))], ['1']);
    assert.equal((await tried)?.length, 1 + 19 - 1);
  });

  test('one username does not keep the others out, from the same address either', async () => {
    await using it = await flooded({ maxQueuedPasswordChecksPerName: 5 });
    const { app, passwords, user } = it;
    const flood = Promise.all(Array.from({ length: 400 }, () => login(app, 'somebody', 'a wrong password')));
    await quiet();
    assert.equal(passwords.held(), 1, 'guesses of one name are made one at a time');
    const right = login(app, user.username, PASSWORD);
    await quiet();
    assert.equal(passwords.held(), 2);
    passwords.release();
    assert.equal((await right).status, 200);
    const statuses = (await flood).map(({ status }) => status);
    assert.equal(statuses.filter((status) => status === 401).length, 6);
    assert.equal(statuses.filter((status) => status === 429).length, 394);
  });

  test('clients behind one address may fill the queue', async () => {
    await using it = await flooded({ maxQueuedPasswordChecks: 20 });
    const { app, passwords } = it;
    const all = Array.from({ length: 22 }, (_, i) => login(app, `somebody-${i}`, 'a wrong password'));
    await quiet();
    passwords.release();
    assert.deepEqual([...new Set((await Promise.all(all)).map(({ status }) => status))], [401]);
  });

  test('there is room for an administrator, once in ten seconds', async () => {
    await using it = await flooded();
    const { app, passwords, turns } = it;
    const flood = Promise.all(Array.from({ length: 400 }, (_, i) => login(app, `guess-${i}`, 'a wrong password')));
    await quiet();
    const first = login(app, ADMIN.username, ADMIN.password);
    await quiet();
    await turns(3);
    assert.equal((await first).status, 200, 'it is next, of 400 from its own address');
    // The next one within ten seconds waits for its turn.
    app.clock.advance('9s');
    let isAnswered = false;
    const second = login(app, ADMIN.username, ADMIN.password).then((answer) => {
      isAnswered = true;
      return answer;
    });
    await quiet();
    await turns(4);
    assert.equal(isAnswered, false);
    app.clock.advance('1s');
    const third = login(app, ADMIN.username, ADMIN.password);
    await quiet();
    await turns(4);
    assert.equal((await third).status, 200);
    passwords.release();
    await Promise.all([flood, second]);
  });

  test('there is room for every administrator, and for none who is not one', async () => {
    for (const isAdmin of [true, false]) {
      await using it = await flooded();
      const { app, passwords, turns } = it;
      passwords.release();
      const person = await app.user({ isAdmin });
      passwords.hold();
      const flood = Promise.all(Array.from({ length: 400 }, (_, i) => login(app, `guess-${i}`, 'a wrong password')));
      await quiet();
      let isAnswered = false;
      const logsIn = login(app, person.username, PASSWORD).then(({ status }) => {
        isAnswered = true;
        return status;
      });
      await quiet();
      await turns(4);
      await quiet();
      const wasFirst = isAnswered;
      passwords.release();
      await flood;
      assert.equal(await logsIn, 200);
      assert.equal(wasFirst, isAdmin);
    }
  });

  test('the right administrator gets in while 400 wrong guesses of the same name are made from the same address', async () => {
    await using it = await flooded();
    const { app, passwords } = it;
    const flood = Promise.all(Array.from({ length: 400 }, () => login(app, ADMIN.username, 'a wrong password')));
    await quiet();
    const right = login(app, ADMIN.username, ADMIN.password);
    await quiet();
    passwords.release();
    assert.equal((await right).status, 200);
    await flood;
  });

  test('a login whose time ends in the queue is asked to come again, and one whose check had begun is not', async () => {
    await using it = await flooded({ requestTimeoutMs: 500 });
    const { app, passwords } = it;
    const begun = [1, 2].map((i) => login(app, `guess-${i}`, 'a wrong password'));
    await until(() => passwords.held() === 2);
    const before = passwords.counts.verified;
    const waiting = await Promise.all([ADMIN.username, 'guess-3'].map((username) => login(app, username, 'a wrong password')));
    for (const { status, headers, text } of waiting) {
      assert.equal(status, 429);
      assert.equal(headers['retry-after'], '1');
      assert.equal(JSON.parse(text).error.code, 'SERVER_TOO_MANY_REQUESTS');
    }
    for (const { status } of await Promise.all(begun)) assert.equal(status, 503);
    passwords.release();
    await quiet();
    assert.equal(passwords.counts.verified - before, 2, 'what waited was not begun later');
  });

  test('a burst of 250 logins on one connection that is broken off hashes no more than what had begun', async () => {
    await using it = await flooded();
    const { app, passwords } = it;
    let [arrived, closed] = [0, 0];
    const server = createServer(nodeHandler(app.controller)).listen(0, '127.0.0.1');
    server.on('request', (_, response) => {
      arrived++;
      response.once('close', () => closed++);
    });
    await once(server, 'listening');
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    await once(socket, 'connect');
    const before = passwords.counts.verified;
    const body = (i: number) => JSON.stringify({ username: `guess-${i}`, password: 'a wrong password' });
    for (let i = 0; i < 250; i++)
      socket.write(
        `POST ${LOGIN} HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: ${body(i).length}\r\n\r\n${body(i)}`,
      );
    await until(() => arrived === 250 && passwords.held() === 2);
    await quiet();
    socket.destroy();
    await until(() => closed === 250);
    passwords.release();
    await quiet();
    assert.equal((await login(app, ADMIN.username, ADMIN.password)).status, 200);
    assert.equal(passwords.counts.verified - before, 3);
    server.close();
  });
});
