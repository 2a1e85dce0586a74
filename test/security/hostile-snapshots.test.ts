/**
 * A snapshot may come from anywhere: whoever wrote it could have a database that never opens again, an error without words, or rows that no
 * operation would write.
 */
import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { kinds } from '../../src/contract/api/kinds.ts';
import type { Kind } from '../../src/contract/api/kit/resource.ts';
import { newSecretKey, restoreSnapshot, SnapshotRefused } from '../../src/index.ts';
import { snapshotTables } from '../../src/store/storage/snapshot/take.ts';
import { openApp, SECRET_KEY } from '../support/app.ts';
import { makeOneOfEverything } from '../support/one-of-everything.ts';
import { contentOf, type SnapshotContent, type SnapshotRow, sealed, snapshotOf, snapshotWith, withShortLog } from '../support/snapshots.ts';
import { newSharedStorage, stores } from '../support/stores.ts';
import { newTenantDatabase, openTenants } from '../support/tenants.ts';

const refusal = (line: number | undefined, why: RegExp) => (error: unknown) => {
  assert.ok(error instanceof SnapshotRefused, `${error instanceof Error ? error.stack : error}`);
  assert.match(error.message, line === undefined ? /line \d+: / : new RegExp(`line ${line}: `));
  assert.match(error.message, why);
  assert.ok(error.message.length < 700, error.message);
  return true;
};

/** The first row of a kind that is as asked for, and its line. */
const find = ({ rows }: SnapshotContent, kind: string, is: (row: SnapshotRow['row']) => boolean = () => true) => {
  const index = rows.findIndex((each) => each.kind === kind && is(each.row));
  const found = rows[index];
  assert.ok(found, `a snapshot with such a ${kind}`);
  return { row: found.row, line: index + 2 };
};

/** Changes a row of a kind, and tells its line. */
const change =
  (kind: string, fields: Readonly<Record<string, unknown>>, is?: (row: SnapshotRow['row']) => boolean) => (content: SnapshotContent) => {
    const { row, line } = find(content, kind, is);
    Object.assign(row, fields);
    return line;
  };

const lastChange = ({ rows }: SnapshotContent) => {
  const index = rows.findLastIndex(({ kind }) => kind === 'change');
  return { index, line: index + 2, row: rows[index]?.row ?? {} };
};

/** Of each attack what it does to the content, at which line it is found, and what is said. */
const attacks: Readonly<Record<string, readonly [(content: SnapshotContent) => number | undefined, RegExp]>> = {
  'a flag that is text': [change('identity', { isAdmin: 'yes' }), /isAdmin must be of type boolean, got string/],
  'a name that is null': [change('identity', { name: null }), /name is required/],
  'a name that nobody sees': [change('service', { name: '\u200b' }), /name/],
  'a cost out of bounds': [change('router', { cost: 65_536 }), /cost/],
  'a variant that is none': [change('postureCheck', { typeId: 'constructor' }), /typeId/],
  'a date without milliseconds': [change('service', { createdAt: '2026-01-01T00:00:00Z' }), /createdAt/],
  'a date that is in no calendar': [change('service', { updatedAt: '2026-02-30T00:00:00.000Z' }), /updatedAt/],
  'a date that is a number': [change('apiSession', { lastActivityAt: 1 }), /lastActivityAt/],
  'an id that is empty': [change('trace', { id: '' }), /id/],
  'an id that is longer than any index takes': [change('trace', { id: 'x'.repeat(70_000) }), /id/],
  'a name that is longer than any controller takes': [change('service', { name: 'x'.repeat(5000) }), /name .*4096/],
  'a set out of order': [change('service', { roleAttributes: ['b', 'a'] }), /roleAttributes is not in the form/],
  'a set with an entry twice': [change('service', { roleAttributes: ['a', 'a'] }), /roleAttributes is not in the form/],
  'a role attribute with a sign': [change('service', { roleAttributes: ['#a'] }), /prefixed/],
  'a pattern of versions that is none': [
    change('postureCheck', { operatingSystems: [{ type: 'Linux', versions: ['((('] }] }, ({ typeId }) => typeId === 'OS'),
    /operatingSystems.0.versions.0/,
  ],
  'an index that does not follow': [change('servicePolicy', { identityWords: ['x'] }), /identityWords .*does not follow/],
  'a selected entity that is not there': [
    change('servicePolicy', { identityRoles: ['@gone'], identityWords: [] }),
    /references invalid identity gone/,
  ],
  'a field that no version has': [change('identity', { password: undefined, isRoot: true }), /"isRoot" is not a field of this identity/],
  'a field of another variant': [
    change('postureCheck', { macAddresses: ['00'] }, ({ typeId }) => typeId === 'OS'),
    /"macAddresses" is not a field/,
  ],
  'a kind that no version has': [
    ({ rows }) => {
      rows.unshift({ kind: 'space\u001b[2Jship', row: {} });
      return 2;
    },
    /this version knows no "space.{1,6}\[2Jship"/,
  ],
  'a row that controllers keep for themselves': [
    ({ rows }) => {
      rows.unshift({ kind: 'idempotencyKey', row: { id: 'a', version: 1, sealed: null } });
      return 2;
    },
    /must not contain rows of idempotencyKey/,
  ],
  'a version of 0': [change('identity', { version: 0 }), /version/],
  'a version below 0': [change('identity', { version: -1 }), /version/],
  'a version that is no integer': [change('identity', { version: 1.5 }), /version/],
  'a version that is no exact number': [change('identity', { version: 2 ** 53 }), /version/],
  'a row that is newer than the snapshot': [
    (content) => change('identity', { version: Number(content.head.revision) + 1 })(content),
    /newer/,
  ],
  'two rows of one id': [
    (content) => {
      const { row, line } = find(content, 'service');
      content.rows.splice(line - 1, 0, { kind: 'service', row: { ...row, name: 'another' } });
      return line + 1;
    },
    /another service has the same id/,
  ],
  'two rows of one unique name': [
    (content) => {
      const { row, line } = find(content, 'service');
      content.rows.splice(line - 1, 0, { kind: 'service', row: { ...row, id: 'another' } });
      return line + 1;
    },
    /another service has the same name/,
  ],
  'a secret in clear': [change('keptSecret', { sealed: 'secret' }, ({ id }) => id === 'oidc-signing-keys'), /sealed is not sealed/],
  'a second factor without its secret': [change('mfa', { sealedSecret: null }), /sealedSecret is required/],
  'an enrollment without its token': [change('enrollment', { sealed: undefined }), /sealed is required/],
  'a secret under another key': [
    change('mfa', { sealedSecret: 'v1.00000000.AAAA' }),
    /sealedSecret cannot be unsealed|sealed under a different secret key/,
  ],
  'no key-check': [
    (content) => {
      content.rows = content.rows.filter(({ row }) => row.id !== 'key-check');
      return undefined;
    },
    /key-check is missing/,
  ],
  'a key-check that is null': [
    (content) => {
      change('keptSecret', { sealed: null }, ({ id }) => id === 'key-check')(content);
      return undefined;
    },
    /key-check is missing/,
  ],
  'no default administrator': [
    (content) => {
      change('identity', { isDefaultAdmin: false }, ({ isDefaultAdmin }) => isDefaultAdmin === true)(content);
      return undefined;
    },
    /default administrator/,
  ],
  'the name of what is built in': [
    (content) => {
      const { row, line } = find(content, 'identityType', ({ id }) => id === 'Router');
      Object.assign(row, { name: 'Router (former)' });
      content.rows.splice(line - 1, 0, { kind: 'identityType', row: { ...row, id: 'mine', name: 'Router' } });
      return line + 1;
    },
    /built in/,
  ],
  'a gap in the change log': [
    (content) => {
      const { index } = lastChange(content);
      content.rows.splice(index - 1, 1);
      return index + 1;
    },
    /without gaps/,
  ],
  'a change log that ends before the snapshot': [
    (content) => {
      content.head.revision = Number(content.head.revision) + 5;
      return undefined;
    },
    /the change log ends with revision/,
  ],
  'no change log': [
    (content) => {
      content.rows = content.rows.filter(({ kind }) => kind !== 'change');
      return undefined;
    },
    /the change log ends with revision 0/,
  ],
  'a change record under another id': [change('change', { id: '0000000000000000' }), /must agree/],
  'a change record without what was created': [
    change('change', { after: null }, ({ action }) => action === 'create'),
    /as the action says/,
  ],
  'a change log that reaches beyond its records': [
    (content) => {
      Object.assign(lastChange(content).row, { oldest: -(2 ** 40) });
      return lastChange(content).line;
    },
    /how far the log reaches/,
  ],
  'a change log of more bytes than numbers count': [
    (content) => {
      Object.assign(lastChange(content).row, { endsAt: 2 ** 53 });
      return lastChange(content).line;
    },
    /how far the log reaches/,
  ],
};

/** Fields that the controller sets on creation, so that no row that it wrote lacks them. */
const NEVER_NULL: readonly (readonly [kind: string, fields: readonly string[]])[] = [
  ['apiSession', ['identityId', 'authenticatorId']],
  ['apiSessionCertificate', ['apiSessionId']],
  ['enrollment', ['sealed']],
  ['mfa', ['identityId', 'sealedSecret', 'sealedRecoveryCodes']],
  ['postureData', ['identityId']],
  ['serviceConfig', ['identityId', 'serviceId', 'configId', 'configTypeId']],
  ['session', ['apiSessionId', 'serviceId', 'identityId']],
  ['terminator', ['serviceId', 'routerId']],
  ['trace', ['identityId']],
];

/** Heads that are refused at the first line. */
const heads: readonly Readonly<Record<string, unknown>>[] = [
  ...[2 ** 53 - 1, 2 ** 53, 1e300, -1, 1.5, '1', null].map((revision) => ({ revision })),
  ...[2, 99, 0, -1, '1', null].map((format) => ({ format })),
  { takenAt: '\u001b]0;x\u0007' },
  { takenAt: null },
  { software: 7 },
  { snapshot: 'another' },
];

/** Texts in place of a row, which are no row of JSON that a store can hold. */
const lines: Readonly<Record<string, readonly [text: string, why: RegExp]>> = {
  'lists nested 100,000 deep': [`{"kind":"identity","row":{"appData":${'['.repeat(100_000)}${']'.repeat(100_000)}}}`, /nested/],
  'objects nested 100,000 deep': [`${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`, /nested/],
  'a million empty lists': [`{"kind":"identity","row":{"appData":{"a":[${'[],'.repeat(1_000_000)}[]]}}}`, /values/],
  'no JSON': ['{"kind":', /not JSON/],
  'JSON that is no object': ['[]', /not a JSON object/],
  'no row': ['{"kind":"identity"}', /not a row of a kind/],
  'a row that is a list': ['{"kind":"identity","row":[]}', /not a row of a kind/],
  'more than a row': ['{"kind":"identity","row":{},"then":1}', /not a row of a kind/],
  'a number that is infinite': ['{"kind":"identity","row":{"version":1e999}}', /out of range/],
  'a character that no database stores': ['{"kind":"identity","row":{"name":"a\\u0000"}}', /cannot be stored/],
  'half of a character': ['{"kind":"identity","row":{"name":"\\ud800"}}', /cannot be stored/],
  'an end of other content': [`{"rows":0,"sha256":"${'0'.repeat(64)}"}`, /missing or were changed/],
};

describe('hostile snapshots', () => {
  let good = '';
  before(async () => {
    await using app = await openApp('memory');
    await makeOneOfEverything(app);
    good = snapshotWith(withShortLog(contentOf(await snapshotOf(app))));
  });

  const restore = async (snapshot: string | readonly (string | Uint8Array)[], secretKey?: string) => {
    await using shared = newSharedStorage('memory');
    return restoreSnapshot({ storage: shared.adapter(), snapshot: typeof snapshot === 'string' ? [snapshot] : snapshot, secretKey });
  };

  for (const store of stores)
    test(`for each attack on a row the line is reported, and nothing is written (${store})`, async () => {
      await using shared = newSharedStorage(store);
      for (const [attack, [perform, why]] of Object.entries(attacks)) {
        const content = contentOf(good);
        const line = perform(content);
        // With the key and without it.
        for (const secretKey of store === 'memory' ? [SECRET_KEY, undefined] : [undefined])
          await assert.rejects(
            restoreSnapshot({ storage: shared.adapter(), snapshot: [snapshotWith(content)], secretKey }),
            refusal(line, why),
            attack,
          );
      }
      // The store is empty as before.
      await restoreSnapshot({ storage: shared.adapter(), snapshot: [good], secretKey: SECRET_KEY });
      await using app = await openApp(store, { storage: shared.adapter() });
      assert.equal((await app.request('GET', '/identities')).status, 200);
    });

  test('each field of each kind is refused in another type', async () => {
    const content = contentOf(good);
    const { head } = content;
    // Only some records have these.
    const reserve = { first: 1, since: '2026-01-01T00:00:00.000Z', passed: 1, count: 0, bytes: 0, base: '', head: '' };
    const rare = { overriddenTests: { count: 1, tests: [{ id: 'a', name: 'a' }] }, reserve };
    const rows = [...content.rows, { kind: 'change', row: { ...lastChange(content).row, ...rare } }];
    const missing = snapshotTables.filter((table) => table !== kinds.controller.kind && !rows.some(({ kind }) => kind === table));
    assert.deepEqual(missing, [], 'the snapshot has rows of all kinds');
    const seen = new Set<string>();
    for (const { kind, row } of rows)
      for (const [field, value] of Object.entries(row)) {
        const name = `${kind}.${field}`;
        if (seen.has(name)) continue;
        seen.add(name);
        const others = [
          [[null]],
          ...(typeof value === 'number' ? ['x', 1.5] : [5]),
          ...(typeof value === 'boolean' ? ['true', 0] : [true]),
        ];
        for (const other of others) {
          // A total of bytes may be any number.
          if (name.startsWith('change.') && other === 1.5) continue;
          const alone = snapshotWith({ head, rows: [{ kind, row: { ...row, [field]: other } }] });
          await assert.rejects(
            restore(alone),
            refusal(2, new RegExp(field === 'schema' ? '' : field)),
            `${name} = ${JSON.stringify(other)}`,
          );
        }
      }
    const stored = snapshotTables.flatMap((table) => {
      const kind = Object.values<Kind>(kinds).find((each) => each.kind === table);
      const kept = Object.entries(kind?.fields ?? {}).filter(([, { keep }]) => keep === 'stored' || keep === 'hidden');
      return table === kinds.controller.kind ? [] : kept.map(([field]) => `${table}.${field}`);
    });
    assert.deepEqual(
      stored.filter((name) => !seen.has(name)),
      [],
      'every field was tried',
    );
  });

  for (const [kind, fields] of NEVER_NULL)
    test(`a row of ${kind} without ${fields.join(' or ')} is refused`, async () => {
      for (const field of fields)
        for (const value of [null, undefined]) {
          const content = contentOf(good);
          const line = change(kind, { [field]: value })(content);
          await assert.rejects(restore(snapshotWith(content)), refusal(line, new RegExp(`${field} is required`)), `${field} = ${value}`);
        }
    });

  test('the fields of these tests are all that are declared as never null', () => {
    const declared = Object.values<Kind>(kinds)
      .filter(({ kind }) => snapshotTables.includes(kind))
      .flatMap(({ kind, fields }) => Object.entries(fields).flatMap(([field, { neverNull }]) => (neverNull ? [`${kind}.${field}`] : [])));
    assert.deepEqual(declared.toSorted(), NEVER_NULL.flatMap(([kind, fields]) => fields.map((field) => `${kind}.${field}`)).toSorted());
  });

  test('each reference to what is not there is refused by the line of the first row that has it', async () => {
    for (const { kind, fields } of Object.values<Kind>(kinds))
      for (const [field, { reference }] of Object.entries(fields)) {
        if (!reference || !snapshotTables.includes(kind)) continue;
        const content = contentOf(good);
        const index = content.rows.findIndex(
          (each) => each.kind === kind && typeof each.row[field] === 'string' && !reference.standIn?.(each.row[field]),
        );
        const row = content.rows[index]?.row;
        if (!row) continue;
        row[field] = 'not-there';
        await assert.rejects(restore(snapshotWith(content)), refusal(index + 2, new RegExp(`${field}.*not-there`)), `${kind}.${field}`);
      }
  });

  test('a head of another version, or one that no version writes, is refused', async () => {
    for (const fields of heads) {
      const content = contentOf(good);
      await assert.rejects(
        restore(snapshotWith({ ...content, head: { ...content.head, ...fields } })),
        refusal(1, /./),
        JSON.stringify(fields),
      );
    }
  });

  test('the highest revision that is taken opens, and the network continues from it', async () => {
    const revision = 2 ** 52;
    const content = contentOf(good);
    const { row } = lastChange(content);
    content.rows = content.rows.filter(({ kind }) => kind !== 'change');
    const extent = { oldest: revision, oldestBeginsAt: 0, endsAt: 1000 };
    content.rows.push({ kind: 'change', row: { ...row, id: String(revision), version: revision, revision, ...extent } });
    content.head.revision = revision;
    for (const store of stores) {
      await using shared = newSharedStorage(store);
      assert.equal((await restoreSnapshot({ storage: shared.adapter(), snapshot: [snapshotWith(content)] })).revision, revision);
      await using app = await openApp(store, { storage: shared.adapter() });
      await app.create('/services', { name: 'new', encryptionRequired: true });
      await using again = await openApp(store, { storage: shared.adapter() });
      assert.equal((await again.request('GET', '/services', {})).status, 200);
      assert.ok((await again.rows('change')).every((each) => Number.isSafeInteger(each.revision)));
    }
  });

  test('a line that is not a row that a database can hold is refused before it is read', async () => {
    const [head = ''] = good.split('\n');
    for (const [attack, [text, why]] of Object.entries(lines)) await assert.rejects(restore(sealed([head, text])), refusal(2, why), attack);
    const broken = Buffer.concat([Buffer.from(`${head}\n{"kind":"`), Uint8Array.of(0xff, 0xfe), Buffer.from('"}\n')]);
    await assert.rejects(restore([broken]), refusal(2, /UTF-8/));
  });

  test('a line without an end is refused once it is too long, however small its parts are', async () => {
    const [head = ''] = good.split('\n');
    let given = 0;
    const part = Buffer.alloc(65_536, 'x');
    const endless = (async function* () {
      yield `${head}\n`;
      for (; ; given++) yield part;
    })();
    await using shared = newSharedStorage('memory');
    await assert.rejects(restoreSnapshot({ storage: shared.adapter(), snapshot: endless }), refusal(2, /longer than/));
    assert.ok(given <= 1025, `${given} parts`);
  });

  test('a snapshot that ends too soon, continues after its end, or was changed is refused', async () => {
    const all = good.split('\n').slice(0, -1);
    const joined = (of: readonly string[]) => `${of.join('\n')}\n`;
    await assert.rejects(restore(''), refusal(1, /the snapshot is truncated/));
    await assert.rejects(restore(joined(all.slice(0, 5))), refusal(6, /the snapshot is truncated/));
    await assert.rejects(restore(good.slice(0, -10)), refusal(all.length, /truncated in this line/));
    await assert.rejects(restore(joined([...all, '{}'])), refusal(all.length + 1, /after the end/));
    await assert.rejects(restore(joined(all.toSpliced(3, 1))), refusal(all.length - 1, /missing or were changed/));
    await assert.rejects(restore(good.replace(/"sha256":"./, '"sha256":"x')), refusal(all.length, /missing or were changed/));
  });

  test('with a key that is not that of the network, the first secret is refused by its line; no secret is shown', async () => {
    await assert.rejects(restore(good, newSecretKey()), refusal(undefined, /cannot be unsealed with the secretKey given/));
    const content = contentOf(good);
    const { row, line } = find(content, 'keptSecret', ({ id }) => id === 'oidc-signing-keys');
    row.sealed = String(row.sealed).replace(/.{10}$/, (end) => (end[0] === 'A' ? 'B' : 'A') + end.slice(1));
    await assert.rejects(restore(snapshotWith(content), SECRET_KEY), (error: unknown) => {
      assert.ok(error instanceof Error && !error.message.includes(String(row.sealed)));
      return refusal(line, /has been modified/)(error);
    });
  });

  test('no attack gets in as a tenant, and no part of one stays', async () => {
    await using database = newTenantDatabase('memory');
    await using app = await openTenants(database);
    for (const [attack, [perform, why]] of Object.entries(attacks)) {
      const content = contentOf(good);
      const line = perform(content);
      const from = { snapshot: [snapshotWith(content)], secretKey: SECRET_KEY };
      await assert.rejects(app.overlays.create({ name: 'acme', from }), refusal(line, why), attack);
    }
    assert.deepEqual(await app.overlays.list(), []);
    await app.overlays.create({ name: 'acme', from: { snapshot: [good], secretKey: SECRET_KEY } });
  });
});
