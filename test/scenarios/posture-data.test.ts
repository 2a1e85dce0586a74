import assert from 'node:assert/strict';
import { test } from 'node:test';
import { proves } from '../specification.ts';
import { ADMIN, type App, onEveryStore } from '../support/app.ts';
import { anotherSession, client } from '../support/posture.ts';
import { assertInvalid, assertRefused } from '../support/refusals.ts';
import { newStorage } from '../support/stores.ts';

const dataOf = async (app: App, id: string, as = app.admin) => {
  const { status, text, body } = await app.request('GET', `/identities/${id}/posture-data`, { as });
  assert.equal(status, 200, text);
  return body.data;
};

const DOMAIN = { typeId: 'DOMAIN', id: 'd', domain: 'FOO' };
const process = (id: string, more: object = {}) => ({ typeId: 'PROCESS', id, path: `/${id}`, isRunning: true, hash: 'AA:BB', ...more });

onEveryStore('posture data', (open, store) => {
  test('before anything is reported, every part of the posture data is there and empty', proves(217, 218, 219, 296, 405), async () => {
    await using app = await open();
    const { id } = await app.user();
    const nothing = { postureCheckId: '', lastUpdatedAt: null, timedOut: false };
    assert.deepEqual(await dataOf(app, id), {
      mac: { ...nothing, addresses: null },
      domain: { ...nothing, domain: null },
      os: { ...nothing, type: null, version: null, build: null },
      processes: [],
      apiSessionPostureData: {},
    });
    assertRefused(await app.request('GET', '/identities/nobody/posture-data'), 404, 'NOT_FOUND');
  });

  test('what endpoints tell is kept and shown with its time, the build included', proves(9, 217, 218, 219, 220, 221, 296), async () => {
    await using app = await open();
    const user = await client(app);
    await user.tell([
      { typeId: 'OS', id: 'o', type: 'Windows', version: '10.0.19041', build: '19041' },
      DOMAIN,
      { typeId: 'MAC', id: 'm', macAddresses: ['0A-0B', '0a0b', '..'] },
      process('p', { signerFingerprints: ['CC DD'] }),
      process('q', { isRunning: false, hash: undefined }),
    ]);
    const told = { lastUpdatedAt: '2026-11-21T10:00:00.000Z', timedOut: false };
    const { apiSessionPostureData: _, ...data } = await dataOf(app, user.id);
    assert.deepEqual(data, {
      mac: { ...told, postureCheckId: 'm', addresses: ['0a0b'] },
      domain: { ...told, postureCheckId: 'd', domain: 'FOO' },
      os: { ...told, postureCheckId: 'o', type: 'Windows', version: '10.0.19041', build: '19041' },
      processes: [
        { ...told, postureCheckId: 'p', isRunning: true, binaryHash: 'aabb', signerFingerprints: ['ccdd'] },
        { ...told, postureCheckId: 'q', signerFingerprints: null },
      ],
    });
  });

  test('the last word on a matter counts, and on a process the last for its id', proves(11, 221), async () => {
    await using app = await open();
    const user = await client(app);
    await user.tell([DOMAIN, { ...DOMAIN, domain: 'BAR' }, process('p'), process('q')]);
    app.clock.advance('5s');
    await user.tell(process('p', { isRunning: false, path: '/elsewhere' }));
    const { domain, processes } = await dataOf(app, user.id);
    assert.equal(domain.domain, 'BAR');
    assert.deepEqual(
      processes.map(({ postureCheckId, isRunning = false, lastUpdatedAt }: Record<string, unknown>) => [
        postureCheckId,
        isRunning,
        lastUpdatedAt,
      ]),
      [
        ['p', false, '2026-11-21T10:00:05.000Z'],
        ['q', true, '2026-11-21T10:00:00.000Z'],
      ],
    );
  });

  test('each API session has its own events and codes, and the software that it told at login', proves(214, 215, 216), async () => {
    await using app = await open();
    const user = await client(app);
    const sdkInfo = { type: 'ziti-sdk-c', version: '1.2.3', appId: 'a', appVersion: '2', branch: 'b', revision: 'r' };
    const login = { username: user.username, password: 'Passw0rd!Passw0rd!', sdkInfo };
    const other = (await app.request('POST', '/authenticate?method=password', { as: null, body: login })).body.data;
    await user.passCode();
    app.clock.advance('1m');
    await user.tell({ typeId: 'ENDPOINT_STATE', id: '0', woken: true, unlocked: false });
    const { apiSessionPostureData: sessions } = await dataOf(app, user.id);
    assert.deepEqual(sessions[user.sessionId], {
      endpointState: { wokenAt: '2026-11-21T10:01:00.000Z', unlockedAt: null },
      mfa: {
        apiSessionId: user.sessionId,
        passedMfa: true,
        passedAt: '2026-11-21T10:00:00.000Z',
        passedOnWake: false,
        passedOnUnlock: true,
      },
      sdkInfo: {},
    });
    assert.deepEqual(sessions[other.id], {
      endpointState: { wokenAt: null, unlockedAt: null },
      mfa: { apiSessionId: other.id, passedMfa: false, passedAt: null, passedOnWake: false, passedOnUnlock: false },
      sdkInfo,
    });
    const passedOn = async () => {
      const { passedOnWake, passedOnUnlock } = (await dataOf(app, user.id)).apiSessionPostureData[user.sessionId].mfa;
      return { passedOnWake, passedOnUnlock };
    };
    await user.tell({ typeId: 'ENDPOINT_STATE', id: '0', woken: false, unlocked: true });
    assert.deepEqual(await passedOn(), { passedOnWake: false, passedOnUnlock: false });
    app.clock.advance('1m');
    await user.passCode();
    assert.deepEqual(await passedOn(), { passedOnWake: true, passedOnUnlock: true });
    await app.request('DELETE', '/current-api-session', { as: user.as });
    assert.deepEqual(Object.keys((await dataOf(app, user.id)).apiSessionPostureData), [other.id]);
    app.clock.advance('31m');
    const as = (await app.login(ADMIN.username, ADMIN.password)).body.data.token;
    assert.deepEqual((await dataOf(app, user.id, as)).apiSessionPostureData, {});
  });

  test('the same report again does not count as a change: its time moves, and no record is written', async () => {
    await using app = await open();
    const user = await client(app);
    const facts = [DOMAIN, process('p'), { typeId: 'OS', id: 'o', type: 'Linux', version: '1.0.0' }];
    const untouched = { typeId: 'ENDPOINT_STATE', id: '0', woken: false, unlocked: false };
    assert.deepEqual(await app.trail(() => user.tell(facts)), ['create postureData']);
    app.clock.advance('5s');
    assert.deepEqual(await app.trail(() => user.tell([...facts, untouched])), []);
    assert.equal((await dataOf(app, user.id)).domain.lastUpdatedAt, '2026-11-21T10:00:05.000Z');
    assert.deepEqual(await app.trail(() => user.tell([{ ...DOMAIN, domain: 'BAR' }, ...facts.slice(1)])), ['update postureData']);
    assert.deepEqual(await app.trail(() => user.tell([])), []);
  });

  test('change records and events report that posture data changed, and not what endpoints reported', async () => {
    await using app = await open();
    const user = await client(app);
    const events: unknown[] = [];
    app.controller.events.on('postureData', (change) => void events.push(change));
    await user.tell({ ...DOMAIN, domain: 'secret.example' });
    const records = (await app.rows('change')).filter(({ entity }) => entity === 'postureData');
    assert.deepEqual([records.length, events.length], [1, 1]);
    assert.doesNotMatch(JSON.stringify([records, events]), /secret\.example/);
  });

  test('posture data is a row that controllers share, and goes with the identity', proves(222), async () => {
    const storage = newStorage(store);
    await using app = await open({ storage });
    const user = await client(app);
    await user.tell(DOMAIN);
    await using other = await open({ storage });
    assert.equal((await dataOf(other, user.id)).domain.domain, 'FOO');
    assert.deepEqual(await app.trail(() => app.request('DELETE', `/identities/${user.id}`)), [
      'delete apiSession',
      'delete authenticator',
      'delete postureData',
      'delete identity',
    ]);
    assert.deepEqual(await other.rows('postureData'), []);
  });

  test('what all sessions of an identity told is one', async () => {
    await using app = await open();
    const user = await client(app);
    const other = await anotherSession(app, user);
    await user.tell(DOMAIN);
    await other.tell(process('p'));
    const { domain, processes } = await dataOf(app, user.id);
    assert.deepEqual([domain.domain, processes.length], ['FOO', 1]);
  });

  test('of more than 256 processes the ones known longest make way', async () => {
    await using app = await open();
    const user = await client(app);
    await user.tell(Array.from({ length: 300 }, (_, i) => process(`p${i}`)));
    const { processes } = await dataOf(app, user.id);
    assert.deepEqual([processes.length, processes[0].postureCheckId, processes.at(-1).postureCheckId], [256, 'p44', 'p299']);
    const [row] = await app.rows('postureData');
    assert.equal(Object.keys(row?.toldAt as object).length, 256);
  });

  test('posture responses that are none are refused with their field, and a bulk with one of them as a whole', proves(9), async () => {
    await using app = await open();
    const user = await client(app);
    const post = (body: unknown, bulk = '') => app.request('POST', `/edge/client/v1/posture-response${bulk}`, { as: user.as, body });
    const left = await app.trail(async () => {
      for (const [field, body] of [
        ['typeId', { id: 'x' }],
        ['id', { typeId: 'MAC', macAddresses: ['a'] }],
        ['macAddresses', { typeId: 'MAC', id: 'x' }],
        ['version', { typeId: 'OS', id: 'x', type: 'Linux' }],
        ['type', { typeId: 'OS', id: 'x', version: '1.0.0' }],
        ['domain', { typeId: 'DOMAIN', id: 'x', domain: null }],
        ['path', { typeId: 'PROCESS', id: 'x', path: 'x'.repeat(5000) }],
      ] as const) {
        assertInvalid(await post(body), field);
        assertInvalid(await post([DOMAIN, body], '-bulk'), `1.${field}`);
      }
      for (const body of [
        { typeId: 'SMELL', id: 'x' },
        { typeId: 'MFA', id: 'x' },
        { typeId: 'PROCESS_MULTI', id: 'x' },
        { typeId: 'MAC', id: 'x', macAddresses: 'a' },
        [],
      ])
        assertRefused(await post(body), 400, 'COULD_NOT_PARSE_BODY');
      assertRefused(await post({}, '-bulk'), 400, 'COULD_NOT_PARSE_BODY');
      assertInvalid(await post(Array(1001).fill(DOMAIN), '-bulk'), '(root)');
      assertRefused(await app.request('POST', '/posture-response', { as: user.as, body: DOMAIN }), 404, 'NOT_FOUND');
    });
    assert.deepEqual(left, []);
    assert.equal((await post([], '-bulk')).status, 201);
    assert.equal((await dataOf(app, user.id)).domain.domain, null);
  });
});
