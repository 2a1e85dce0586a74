/** Every field of every kind, against a table written by hand. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { KindName } from '../../src/contract/api/kind-names.ts';
import { proves } from '../specification.ts';
import { type App, onEveryStore } from '../support/app.ts';
import { type KindRules, kindRules } from '../support/kinds.ts';
import { assertInvalid, assertRefused } from '../support/refusals.ts';

const notGiven = (field: string, { emptiedByNull = [] }: KindRules) => (emptiedByNull.includes(field) ? [undefined] : [undefined, null]);

/** One of the kind, and ways to read and write it. */
const one = async (app: App, { path, body, createOnly = [], replaceOnly, always }: KindRules) => {
  const id = await app.create(path, body);
  const at = `${path}/${id}`;
  const read = async () => (await app.request('GET', at)).body.data;
  const replacing = Object.fromEntries(Object.entries({ ...body, ...replaceOnly }).filter(([field]) => !createOnly.includes(field)));
  const write = async (method: 'PUT' | 'PATCH', fields: object) => {
    const answer = await app.request(method, at, { body: { ...(method === 'PUT' ? replacing : always), ...fields } });
    assert.equal(answer.status, 200, `${method} ${path} ${JSON.stringify(fields)}: ${answer.text}`);
  };
  return { id, at, read, replacing, write };
};

/** The kind of what is at a path: `externalJwtSigner` at `/external-jwt-signers`. */
const kindAt = (path: string) => {
  if (path.endsWith('routers')) return 'router';
  const one = path.slice(1).replace(/(ie)?s$/, (_, ie) => (ie ? 'y' : ''));
  return one.replace(/-(.)/g, (_, letter) => letter.toUpperCase()) as KindName; // another name finds no rows, and fails
};

const isReplaced = ({ path }: KindRules) => path !== '/enrollments';

/** What the store keeps and no body sets, as an attacker would send it. `__proto__` is refused (test/security/keys-named-proto.test.ts). */
const STORED = {
  ...{ version: 99, isSystem: true, passwordHash: 'mine', tokenHash: 'mine', failedAttempts: -1000, isIssuedByNetwork: true, revision: 1 },
  ...{ isExtendRequested: true, extendRequestedAt: '2000-01-01T00:00:00.000Z', lastActivityAt: '9999-01-01T00:00:00.000Z' },
  ...{ externalJwtSigners: ['mine'], constructor: { prototype: { isAdmin: true } } },
};

/**
 * Asserts that a field shows what was written. Types of users are shown as `Default`, the sections of a policy have defaults besides,
 * passwords are not shown.
 */
const assertShown = (field: string, shown: unknown, written: unknown): void => {
  if (field === '/authenticators password') assert.equal(shown, undefined);
  else if (field === '/identities type') assert.partialDeepStrictEqual(shown, { id: 'Default' });
  else if (field.startsWith('/auth-policies ')) assert.partialDeepStrictEqual({ shown }, { shown: written });
  else assert.deepEqual(shown, written, field);
};

/** Filter fields of extensions, which clients of release 1.7 do not see. */
const OWN_FILTERS: Readonly<Record<string, readonly string[]>> = {
  '/identities': ['scopedPermissions'],
  '/routers': ['online'],
  '/transit-routers': ['online'],
};

onEveryStore('the fields of every kind', (open) => {
  test(
    'what create and replace need is needed, missing or null, and a refusal changes nothing',
    proves(
      47,
      48,
      57,
      67,
      68,
      70,
      73,
      74,
      80,
      84,
      85,
      86,
      87,
      88,
      90,
      94,
      95,
      98,
      100,
      101,
      124,
      127,
      131,
      141,
      142,
      143,
      146,
      147,
      152,
      156,
      160,
      168,
      178,
      181,
      183,
      185,
      196,
      209,
      305,
      306,
      445,
    ),
    async () => {
      await using app = await open();
      for (const rules of await kindRules(app)) {
        for (const field of rules.required)
          for (const value of notGiven(field, rules))
            assertInvalid(await app.request('POST', rules.path, { body: { ...rules.body, [field]: value } }), field);
        if (!isReplaced(rules)) continue;
        const { at, read, replacing } = await one(app, rules);
        const before = await read();
        const { required, createOnly = [], replaceOnly = {} } = rules;
        for (const field of [...required.filter((field) => !createOnly.includes(field)), ...Object.keys(replaceOnly)])
          for (const value of notGiven(field, rules))
            assertInvalid(await app.request('PUT', at, { body: { ...replacing, [field]: value } }), field);
        assert.deepEqual(await read(), before);
      }
    },
  );

  test(
    'every kind is created, read, listed, replaced, patched and deleted',
    proves(318, 319, 320, 321, 322, 323, 324, 325, 326, 327, 328, 329, 330),
    async () => {
      await using app = await open();
      const made = await kindRules(app);
      const underOtherPath = made.filter(({ path }) => path === '/routers').map((rules) => ({ ...rules, path: '/transit-routers' }));
      for (const rules of [...made, ...underOtherPath]) {
        const { id, at, read, replacing, write } = await one(app, rules);
        assert.equal((await read()).id, id, at);
        const { data } = (await app.request('GET', `${rules.path}?limit=500`)).body;
        assert.equal(data.filter((item: { id: string }) => item.id === id).length, 1, at);
        if (isReplaced(rules)) for (const method of ['PUT', 'PATCH'] as const) await write(method, {});
        else
          for (const method of ['PUT', 'PATCH'])
            assertRefused(await app.request(method, at, { body: replacing }), 405, 'METHOD_NOT_ALLOWED');
        assert.equal((await app.request('DELETE', at)).status, 200, at);
        assertRefused(await app.request('GET', at), 404, 'NOT_FOUND');
      }
    },
  );

  test('every detail has the base fields, and every item of a list', proves(23, 35, 62, 104, 135, 189, 196, 211, 213, 243), async () => {
    await using app = await open({ member: { name: 'here' } });
    const made = await kindRules(app);
    for (const { path, body } of made) await app.create(path, body);
    const others = ['/api-sessions', '/controllers', '/identity-types', '/posture-check-types', '/specs'];
    for (const path of [...made.map((rules) => rules.path), ...others]) {
      const { data } = (await app.request('GET', path)).body;
      assert.ok(data.length > 0, path);
      for (const item of path === '/controllers' ? data : [...data, (await app.request('GET', `${path}/${data[0].id}`)).body.data]) {
        assert.equal(typeof item._links.self.href, 'string', path);
        assert.match(item.id, /^[\w.-]+$/, path);
        assert.deepEqual(item.tags, {}, path);
        for (const date of [item.createdAt, item.updatedAt]) assert.equal(new Date(date).toISOString(), date, path);
      }
    }
  });

  test(
    'what only the controller writes is ignored in every body',
    proves(
      83,
      89,
      91,
      99,
      107,
      108,
      111,
      112,
      119,
      120,
      122,
      123,
      125,
      126,
      132,
      151,
      155,
      173,
      174,
      175,
      176,
      179,
      180,
      182,
      184,
      187,
      192,
      193,
    ),
    async () => {
      await using app = await open();
      for (const rules of await kindRules(app)) {
        const readOnly: KindRules['readOnly'] = { ...STORED, ...rules.readOnly };
        const { id, at, read, write } = await one(app, { ...rules, body: { ...readOnly, ...rules.body } });
        const made = await read();
        for (const [field, value] of Object.entries(readOnly)) assert.notDeepEqual(made[field], value, `POST ${rules.path} ${field}`);
        const stored = async (method: string) => {
          const row = (await app.rows(kindAt(rules.path))).find((each) => each.id === id);
          for (const [field, value] of Object.entries(STORED)) assert.notDeepEqual(row?.[field], value, `${method} ${at} ${field}`);
        };
        await stored('POST');
        if (!isReplaced(rules)) continue;
        for (const method of ['PUT', 'PATCH'] as const) {
          app.clock.advance('1s');
          await write(method, readOnly);
          await stored(method);
          const { updatedAt, ...after } = await read();
          const { updatedAt: _, ...before } = made;
          assert.deepEqual(after, before, `${method} ${at}`);
          assert.notEqual(updatedAt, readOnly['updatedAt']);
        }
      }
    },
  );

  test(
    'null is the default on create and replace, and no change in a patch, for every optional field, and a replace resets what it leaves out',
    proves(
      27,
      29,
      59,
      72,
      75,
      92,
      97,
      102,
      105,
      109,
      110,
      121,
      128,
      133,
      149,
      150,
      153,
      162,
      163,
      165,
      166,
      169,
      170,
      171,
      172,
      178,
      181,
      183,
      185,
      188,
      189,
      196,
      309,
    ),
    async () => {
      await using app = await open();
      for (const rules of await kindRules(app)) {
        const { optional } = rules;
        const pick = (index: 0 | 1) => Object.fromEntries(Object.entries(optional).map(([field, pair]) => [field, pair[index]]));
        const nulls = Object.fromEntries(Object.keys(optional).map((field) => [field, null]));
        const { at, read, write, replacing } = await one(app, { ...rules, body: { ...rules.body, ...nulls } });
        const holds = async (expected: object) =>
          assert.partialDeepStrictEqual({ path: rules.path, ...(await read()) }, { path: rules.path, ...expected });
        await holds(pick(1));
        if (!isReplaced(rules)) continue;
        await write('PATCH', pick(0));
        await holds(pick(0));
        await write('PATCH', nulls);
        await holds(pick(0));
        await write('PUT', nulls);
        await holds(pick(1));
        await write('PUT', pick(0));
        await holds(pick(0));
        const bare = Object.fromEntries(Object.entries(replacing).filter(([field]) => !(field in optional)));
        assert.equal((await app.request('PUT', at, { body: bare })).status, 200, at);
        await holds(pick(1));
      }
    },
  );

  test(
    'a create keeps every field, and a patch needs none and changes the one that it names alone',
    proves(
      59,
      72,
      75,
      92,
      97,
      102,
      103,
      105,
      109,
      110,
      121,
      128,
      133,
      134,
      149,
      150,
      153,
      162,
      163,
      164,
      165,
      166,
      169,
      170,
      171,
      172,
      177,
      178,
      181,
      183,
      185,
      188,
      189,
      196,
      310,
    ),
    async () => {
      await using app = await open();
      for (const rules of await kindRules(app)) {
        if (!isReplaced(rules)) continue;
        const { path, body, createOnly = [], optional } = rules;
        const created = { ...Object.fromEntries(Object.entries(optional).map(([field, [value]]) => [field, value])), tags: { old: 'x' } };
        const { read, write } = await one(app, { ...rules, body: { ...body, ...created } });
        assert.partialDeepStrictEqual({ path, ...(await read()) }, { path, ...created });
        const patch = async (field: string, value: unknown) => {
          const before = await read();
          await write('PATCH', { [field]: value });
          const after = await read();
          assertShown(`${path} ${field}`, after[field], value);
          for (const key of ['_links', 'updatedAt', field, `${field}Display`, field.replace(/Id$/, '')])
            for (const shown of [before, after]) delete shown[key];
          assert.deepEqual(after, before, `${path} ${field}`);
        };
        for (const [field, value] of Object.entries(body))
          if (!createOnly.includes(field) && field !== 'typeId')
            await patch(field, field === 'name' ? `${value} anew` : typeof value === 'boolean' ? !value : value);
        await patch('tags', { new: 'y' });
        await write('PUT', Object.fromEntries(Object.keys(optional).map((field) => [field, null])));
        for (const [field, [value]] of Object.entries(optional)) await patch(field, value);
      }
    },
  );

  test(
    'no two of a kind have one name, in the same letters, and it is free again after a delete; an empty one is none',
    proves(47, 95, 101),
    async () => {
      await using app = await open();
      for (const rules of await kindRules(app)) {
        if (!isReplaced(rules)) continue;
        const { path, body, unique = 'name', another = {}, always } = rules;
        const taken = String(body[unique]);
        const { at } = await one(app, rules);
        for (const name of [taken, ''])
          assertInvalid(await app.request('POST', path, { body: { ...body, ...another, [unique]: name } }), unique);
        const second = await one(app, { ...rules, body: { ...body, ...another, [unique]: taken.toUpperCase() } });
        for (const name of [taken, '']) {
          assertInvalid(await app.request('PUT', second.at, { body: { ...second.replacing, [unique]: name } }), unique);
          assertInvalid(await app.request('PATCH', second.at, { body: { ...always, [unique]: name } }), unique);
        }
        assert.equal((await second.read())[unique], taken.toUpperCase(), path);
        assert.equal((await app.request('DELETE', at)).status, 200, at);
        await second.write('PATCH', { [unique]: taken });
      }
    },
  );

  test('role attributes do not begin with # or @, and are not empty', async () => {
    await using app = await open();
    for (const { path, body, attributes } of await kindRules(app))
      if (attributes !== undefined)
        for (const wrong of ['#all', '@x', ''])
          assertInvalid(await app.request('POST', path, { body: { ...body, [attributes]: ['a', wrong] } }), attributes);
  });

  test('the filter fields of a kind are those that clients know', proves(19, 319, 321, 322), async () => {
    await using app = await open();
    for (const { path, filterable } of await kindRules(app)) {
      if (filterable === undefined) continue;
      const expected = ['createdAt', 'id', 'isSystem', 'tags', 'updatedAt', ...filterable, ...(OWN_FILTERS[path] ?? [])];
      assert.deepEqual((await app.request('GET', path)).body.meta.filterableFields.toSorted(), expected.toSorted(), path);
      for (const field of expected) {
        const filter = ['scopes', 'configs', 'roleAttributes', 'scopedPermissions'].includes(field)
          ? `isEmpty(${field})`
          : `${field === 'tags' ? 'tags.x' : field} = null`;
        assert.equal((await app.request('GET', `${path}?filter=${encodeURIComponent(filter)}`)).status, 200, `${path} ${field}`);
      }
    }
  });

  test('costs are kept from 0 to 65535 by every write, and what is beyond is refused', proves(109, 129, 165, 178, 462), async () => {
    await using app = await open();
    const costs: Readonly<Record<string, string>> = { '/edge-routers': 'cost', '/routers': 'cost', '/identities': 'defaultHostingCost' };
    for (const rules of await kindRules(app)) {
      const field = costs[rules.path];
      if (field === undefined) continue;
      for (const [i, cost] of [0, 65_535].entries()) {
        const { at, read, write, replacing } = await one(app, {
          ...rules,
          body: { ...rules.body, name: `costs ${rules.path} ${i}`, [field]: cost },
        });
        assert.equal((await read())[field], cost);
        for (const method of ['PUT', 'PATCH'] as const) {
          await write(method, { [field]: 7 });
          await write(method, { [field]: cost });
          assert.equal((await read())[field], cost, `${method} ${at}`);
        }
        for (const wrong of [-1, 65_536]) {
          for (const method of ['PUT', 'PATCH'])
            assertInvalid(await app.request(method, at, { body: { ...replacing, [field]: wrong } }), field);
          assertInvalid(await app.request('POST', rules.path, { body: { ...rules.body, name: 'wrong', [field]: wrong } }), field);
        }
      }
    }
    const service = await app.create('/services', { name: 'web', encryptionRequired: true });
    for (const cost of [0, 65_535]) {
      const body = { name: `hosts at ${cost}`, type: 'User', isAdmin: false, serviceHostingCosts: { [service]: cost } };
      const id = await app.create('/identities', body);
      assert.deepEqual((await app.request('GET', `/identities/${id}`)).body.data.serviceHostingCosts, { [service]: cost });
    }
  });

  test(
    'user names of 4 to 100 and passwords of 5 to 100 characters are taken wherever they are written, and no others',
    proves(71, 73, 74, 76, 459, 460, 461),
    async () => {
      await using app = await open();
      const user = await app.user();
      const as = await user.login();
      const expiresAt = '2026-12-24T10:00:00.000Z';
      let current = 'Passw0rd!Passw0rd!';
      let serial = 0;
      const someone = () => app.create('/identities', { name: `someone ${++serial}`, type: 'User', isAdmin: false });
      const own = async (method: string, fields: Readonly<Record<string, string>>) => {
        const password = fields['password'] ?? current;
        const body = { ...fields, currentPassword: current, ...(method === 'PUT' ? { password } : {}) };
        const answer = await app.request(method, `/current-identity/authenticators/${user.authenticatorId}`, { as, body });
        if (answer.status === 200) current = password;
        return answer;
      };
      const other = async () => {
        const id = await app.create('/authenticators', {
          identityId: await someone(),
          method: 'updb',
          username: `other ${++serial}`,
          password: 'a password',
        });
        return `/authenticators/${id}`;
      };
      // As long as the case, and unlike any before it.
      const writers: Readonly<Record<string, (username: string, password: string) => Promise<{ status: number; text: string }>>> = {
        'a new authenticator': async (username, password) =>
          app.request('POST', '/authenticators', { body: { identityId: await someone(), method: 'updb', username, password } }),
        'a replaced authenticator': async (username, password) => app.request('PUT', await other(), { body: { username, password } }),
        'a patched authenticator': async (username, password) => app.request('PATCH', await other(), { body: { username, password } }),
        'a replaced one of its own': (username, password) => own('PUT', { username, password }),
        'a patched one of its own': (username, password) => own('PATCH', { username, password }),
      };
      const named: Readonly<Record<string, (username: string) => Promise<{ status: number; text: string }>>> = {
        'an enrollment': async (username) =>
          app.request('POST', '/enrollments', { body: { identityId: await someone(), method: 'updb', username, expiresAt } }),
        'a new identity with an enrollment': (username) =>
          app.request('POST', '/identities', {
            body: { name: `enrolling ${++serial}`, type: 'User', isAdmin: false, enrollment: { updb: username } },
          }),
      };
      const letters = 'abcdefghijklmnopqrstuvwxyz';
      for (const [index, [what, write]] of [...Object.entries(writers), ...Object.entries(named)].entries()) {
        const letter = letters[index] ?? '';
        for (const [length, isTaken] of [
          [3, false],
          [4, true],
          [100, true],
          [101, false],
        ] as const)
          assert.equal((await write(letter.repeat(length), 'good password')).status < 300, isTaken, `${what}: a name of ${length}`);
      }
      for (const [index, [what, write]] of Object.entries(writers).entries())
        for (const [length, isTaken] of [
          [4, false],
          [5, true],
          [100, true],
          [101, false],
        ] as const)
          assert.equal(
            (await write(`${letters[index]}${length}-name`, 'p'.repeat(length))).status < 300,
            isTaken,
            `${what}: a password of ${length}`,
          );
    },
  );
});
