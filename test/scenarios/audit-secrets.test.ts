import assert from 'node:assert/strict';
import { test } from 'node:test';
import { kinds } from '../../src/contract/api/kinds.ts';
import { entries } from '../../src/controller/entries.ts';
import { type App, onEveryStore } from '../support/app.ts';
import { callSample } from '../support/calls.ts';
import { makeOneOfEverything } from '../support/one-of-everything.ts';
import { nameOf, sampleOf } from '../support/samples/index.ts';
import { secretsOf } from '../support/secrets.ts';

const STORED = 'what is stored';
/** Secrets of which at least one was issued or chosen, each by the name with which it was sent. */
const NAMES = [
  'zt-session',
  'authorization',
  'set-cookie',
  'password',
  'currentPassword',
  'identitySecret',
  'token',
  'jwt',
  'verificationToken',
  'enrollmentToken',
  'enrollmentJwt',
  'recoveryCodes',
  'provisioningUrl',
  'secret',
  'code',
  'code_verifier',
  'ext_jwt',
  'access_token',
  'refresh_token',
  'id_token',
  'its look',
  STORED,
];

/** All that is recorded, as it is stored and as it is exported, with what is noted only later. */
const auditOf = async (app: App): Promise<string> => {
  await app.controller.api.audit.list();
  const { body } = await app.controller.api.audit.export({});
  let text = '';
  for await (const part of body as AsyncIterable<string>) text += part; // lines of text
  return `${text}${JSON.stringify(await app.rows('change'))}`;
};

/** What is stored in place of secrets: their hashes, and the secrets themselves where they are sealed. */
const storedBy = async (app: App): Promise<readonly string[]> => {
  // Change records have the hashes of their chain.
  const others = Object.values(kinds).filter(({ kind }) => kind !== 'change');
  const all = others.map(async (kind) => {
    const names = Object.entries(kind.fields).flatMap(([name, { keep, sealedFor }]) =>
      sealedFor || (keep === 'hidden' && /Hash$/.test(name)) ? [name] : [],
    );
    return names.length === 0 ? [] : (await app.rows(kind.kind)).flatMap((row) => names.map((name) => row[name]));
  });
  return (await Promise.all(all)).flat().filter((value) => typeof value === 'string');
};

/** True if a text of JSON holds the secret; a short one, such as a code, is only sought as a whole value. */
const holds = (text: string, secret: string): boolean => {
  const written = JSON.stringify(secret);
  return text.includes(secret.length < 8 ? written : written.slice(1, -1));
};

/** Looks in the audit for all secrets that were sent, given and stored. @returns the names of those that it looked for */
const assertNoneIn = async (app: App, work: string): Promise<readonly string[]> => {
  const audit = await auditOf(app);
  const stored = (await storedBy(app)).map((value) => [value, STORED] as const);
  const all = [...app.transcript.flatMap(secretsOf), ...stored].filter(([secret]) => secret !== '');
  for (const [secret, name] of new Map(all))
    assert.ok(!holds(audit, secret), `${work}: the audit holds ${secret}, which is a secret by ${name}`);
  return all.map(([, name]) => name);
};

onEveryStore('secrets and the audit', (open, store) => {
  test('no secret that was issued or chosen is in any record, when everything was done in one network', async () => {
    await using app = await open();
    const user = await app.user({ isAdmin: true });
    await app.login(user.username, 'a wrong password');
    await makeOneOfEverything(app);
    const sought = new Set(await assertNoneIn(app, 'all'));
    assert.ok(sought.size >= 12, [...sought].join());
  });

  const once = { skip: store === 'memory' ? false : 'each operation has a network of its own, and records the same on every store' };
  test('no secret that was issued or chosen is in any record, whichever operation did it', once, async () => {
    const sought = new Set<string>();
    for (const entry of entries) {
      await using app = await open();
      const sample = await sampleOf(app, entry);
      const { status, text } = await callSample(app, entry.operation, sample);
      assert.equal(status < 400, sample.refused === undefined, `${nameOf(entry)}: ${text}`);
      for (const name of await assertNoneIn(app, nameOf(entry))) sought.add(name);
    }
    assert.deepEqual(
      NAMES.filter((name) => !sought.has(name)),
      [],
    );
  });
});
