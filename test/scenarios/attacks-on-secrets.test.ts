import assert from 'node:assert/strict';
import { test } from 'node:test';
import { entries } from '../../src/controller/entries.ts';
import { proves } from '../specification.ts';
import { ADMIN, type App, onEveryStore, PASSWORD } from '../support/app.ts';
import { callSample } from '../support/calls.ts';
import { list } from '../support/lists.ts';
import { policyBody } from '../support/policies.ts';
import { nameOf, sampleOf } from '../support/samples/index.ts';

/** Where a caller is given its own token. */
const OWN_TOKEN = ['/authenticate', '/current-api-session'];

/** They describe the API, hold nothing of a network, and take long to make: each is asked for once, as an operation of its own. */
const DOCUMENTS = ['/swagger.json', '/openapi.json'];

const lists = entries
  .map(({ operation }) => operation)
  .filter(({ method, path }) => method === 'GET' && !path.includes('{') && !DOCUMENTS.includes(path));

/** What must not be told: passwords, tokens, and what is stored in their place. */
const secretsOf = async (app: App): Promise<readonly string[]> => {
  const hashes = [
    ...(await app.rows('authenticator')).map(({ passwordHash }) => passwordHash),
    ...(await app.rows('apiSession')).map(({ tokenHash }) => tokenHash),
    ...(await app.rows('enrollment')).flatMap(({ tokenHash, sealed }) => [tokenHash, sealed]),
    ...(await app.rows('keptSecret')).map(({ sealed }) => sealed),
    ...(await app.rows('session')).map(({ sealedApiSessionToken }) => sealedApiSessionToken),
  ];
  // A certificate has no hash.
  return [PASSWORD, ADMIN.password, 'another password', 'mistyped', ...hashes.filter((hash) => typeof hash === 'string')];
};

const assertToldNowhere = async (app: App, events: readonly unknown[], given: readonly string[]) => {
  const secrets = [...(await secretsOf(app)), ...given];
  const tokens = app.transcript.map(({ answer }) => answer.headers['zt-session']).filter((token) => token !== undefined);
  const holds = (text: string, secret: string) => text.includes(secret) || text.includes(JSON.stringify(secret).slice(1, -1));
  for (const { method, path, answer } of app.transcript) {
    const isOwn = OWN_TOKEN.some((place) => path.split('?')[0]?.endsWith(place));
    for (const secret of isOwn ? secrets : [...secrets, ...tokens])
      assert.ok(!holds(answer.text, secret), `${method} ${path} tells ${secret}: ${answer.text}`);
  }
  const rest = {
    events: JSON.stringify(events),
    log: app.log.join('\n'),
    changes: JSON.stringify(await app.rows('change')),
    sessions: JSON.stringify(await app.rows('apiSession')),
    authenticators: JSON.stringify(await app.rows('authenticator')),
  };
  const hashed = new Set(await secretsOf(app));
  for (const [place, text] of Object.entries(rest)) {
    for (const secret of [...secrets, ...tokens]) {
      const isStoredHash = ['sessions', 'authenticators'].includes(place) && hashed.has(secret) && /^\$|^[0-9a-f]{64}$/.test(secret);
      assert.ok(isStoredHash || !holds(text, secret), `${place} tells ${secret}`);
    }
  }
  for (const field of ['passwordHash', 'tokenHash', 'failedAttempts', 'sealedApiSessionToken'])
    assert.ok(!app.transcript.some(({ answer }) => answer.text.includes(field)), field);
};

onEveryStore('attacks on secrets', (open) => {
  test('no operation tells a secret: not in answers, events, change records or the log', proves(66), async () => {
    for (const entry of entries) {
      const { operation } = entry;
      await using app = await open();
      const events: unknown[] = [];
      app.controller.events.on('change', (change) => void events.push(change));
      const sample = await sampleOf(app, entry);
      const { status, text } = await callSample(app, operation, sample);
      assert.equal(status < 400, sample.refused === undefined, `${nameOf(entry)}: ${text}`);
      // After a reading nothing is there that was not before.
      if (operation.method !== 'GET') for (const { path } of lists) await app.request('GET', path);
      await assertToldNowhere(app, events, []);
    }
  });

  test('no error tells a secret that the request held', async () => {
    await using app = await open();
    const events: unknown[] = [];
    app.controller.events.on('change', (change) => void events.push(change));
    const authPolicyId = await app.create('/auth-policies', policyBody('strict', { updb: { minPasswordLength: 60 } }));
    const user = await app.user();
    const as = await user.login();
    await app.request('PATCH', `/identities/${user.id}`, { body: { authPolicyId } });
    const own = `/current-identity/authenticators/${user.authenticatorId}`;
    const secret = 'a-secret-of-mine';
    const bodies = [
      { password: secret },
      { username: user.username, password: secret, currentPassword: PASSWORD },
      { username: user.username, password: `${secret} that is long enough`.padEnd(80, '!'), currentPassword: `${secret} mistyped` },
      { password: { [secret]: secret }, currentPassword: [secret] },
      { username: [secret], password: [secret] },
      { tags: { password: [secret] }, currentPassword: PASSWORD },
      { currentPassword: secret.repeat(10), password: secret.repeat(10) },
    ];
    for (const body of bodies) {
      for (const method of ['PUT', 'PATCH']) {
        await app.request(method, own, { as, body });
        await app.request(method, `/authenticators/${user.authenticatorId}`, { body });
      }
      await app.request('POST', '/authenticators', { body: { identityId: user.id, method: 'updb', username: 'another', ...body } });
      await app.request('POST', '/authenticators', {
        body: { identityId: user.id, method: 'cert', certPem: `-----BEGIN PRIVATE KEY-----${secret}`, ...body },
      });
      await app.request('POST', '/authenticate?method=password', { as: null, body });
    }
    const raw = `{"username":"somebody","password":"${secret}`;
    for (const path of ['/authenticate?method=password', '/authenticators']) await app.request('POST', path, { raw });
    await app.request('POST', '/authenticate?method=password', { as: null, raw: `${raw}","username":5}` });
    for (const headers of [{ 'zt-session': secret }, { authorization: `Bearer ${secret}` }, { cookie: secret }])
      await app.request('GET', '/identities', { as: null, headers });
    const refused = app.transcript.filter(({ answer }) => answer.status >= 400);
    assert.ok(refused.length > 25, `${refused.length} refusals`);
    await assertToldNowhere(app, events, [secret]);
  });

  test('a token can be asked for as a whole, and no filter or sort tells anything of it', async () => {
    await using app = await open();
    const user = await app.user();
    const token = await user.login();
    const ids = async (filter: string) =>
      (await list(app, '/api-sessions', { filter, sort: 'id' })).body.data?.map(({ id }: { id: string }) => id);
    assert.equal((await ids(`token = "${token}"`)).length, 1);
    assert.equal((await ids(`token in ["${token}", "${app.admin}"]`)).length, 2);
    assert.equal((await ids(`token != "${token}"`)).length, 1);
    // Whatever the guess, right or wrong in part, the answer is the same.
    const guesses = [token.slice(0, 1), token.slice(0, 8), token.slice(-4), token.toUpperCase(), token.slice(0, -1), '', '0', 'z', 'zzzz'];
    const questions = [
      'token = "?"',
      'token != "?"',
      'token contains "?"',
      'token not contains "?"',
      'token icontains "?"',
      'token < "?"',
      'token >= "?"',
      'not token < "?"',
      'token in ["?", "x"]',
      'token not in ["?"]',
      'not (token contains "?")',
      'token = "?" or ipAddress = "nowhere"',
    ];
    for (const question of questions) {
      const answers = new Set<string>();
      for (const guess of guesses) answers.add(JSON.stringify(await ids(question.replace('?', guess))));
      assert.equal(answers.size, 1, question);
    }
    for (const sort of ['token', 'token desc', 'tokenHash'])
      assert.equal((await list(app, '/api-sessions', { sort })).body.error.code, 'INVALID_SORT_IDENTIFIER');
    for (const filter of ['true sort by token', 'tokenHash contains "a"', 'token = null sort by token desc'])
      assert.equal((await list(app, '/api-sessions', { filter })).body.error.code, 'INVALID_FILTER');
  });

  test('the hash and the salt of a password cannot be asked for in any way', proves(66), async () => {
    await using app = await open();
    const user = await app.user();
    const as = await user.login();
    const hash = String((await app.rows('authenticator')).find(({ id }) => id === user.authenticatorId)?.passwordHash);
    const guesses = [hash, hash.slice(0, 10), hash.split('$')[3] ?? '', PASSWORD, '$', '', 'z'];
    for (const [path, options] of [
      ['/authenticators', {}],
      [`/identities/${user.id}/authenticators`, {}],
      ['/current-identity/authenticators', { as }],
    ] as const) {
      for (const field of ['updbPassword', 'updbSalt', 'publicKeyPrint']) {
        const everyQuestion = [
          '= "?"',
          '!= "?"',
          'contains "?"',
          'not contains "?"',
          'icontains "?"',
          '< "?"',
          '>= "?"',
          'in ["?"]',
          'not in ["?"]',
        ];
        for (const question of everyQuestion) {
          const answers = new Set<string>();
          for (const guess of guesses)
            answers.add(JSON.stringify((await list(app, path, { filter: `${field} ${question.replace('?', guess)}` }, options)).body.data));
          assert.equal(answers.size, 1, `${path}: ${field} ${question}`);
        }
        assert.equal((await list(app, path, { sort: field }, options)).body.error.code, 'INVALID_SORT_IDENTIFIER');
      }
      for (const field of ['passwordHash', 'password', 'failedAttempts'])
        assert.equal((await list(app, path, { filter: `${field} != null` }, options)).body.error.code, 'INVALID_FILTER');
    }
  });
});
