/**
 * Whoever has no session could still make the store keep something: a login that was begun, a count of wrong passwords. What a call leaves
 * is counted here, in bytes, for each operation that takes none.
 */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Entry } from '../../src/call/entry.ts';
import { entries } from '../../src/controller/entries.ts';
import { storageSchema } from '../../src/store/storage/schema.ts';
import { type App, openApp, PASSWORD } from '../support/app.ts';
import { callSample, type SampleCall } from '../support/calls.ts';
import { chainOf } from '../support/certificates.ts';
import { largestFields } from '../support/largest-input.ts';
import { begin } from '../support/oidc.ts';
import { withNamesApart } from '../support/one-of-everything.ts';
import { party } from '../support/pki.ts';
import { policyBody } from '../support/policies.ts';
import { nameOf, sampleOf } from '../support/samples/index.ts';

/** Bytes of the record of an attempt that was refused, of which the log takes a hundred, and then one every ten minutes. */
const RECORD = 2000;
/** Bytes that a call of a stranger may leave, by operation: a login that was begun, or one that failed. All others leave nothing. */
const LEFT: Readonly<Record<string, number>> = {
  'oidc.authorize': 1_000_000,
  'oidc.authorizeByForm': 1_000_000,
  'authentication.authenticate': RECORD,
  'oidcLogin.byUsername': RECORD,
  'oidcLogin.byPassword': RECORD,
  'oidcLogin.byCert': RECORD,
  'oidcLogin.byExtJwt': RECORD,
};
/** Bytes that a call with valid credentials may leave, a new session for one, and its change records. */
const LEFT_BY_OTHERS = 20_000;

const open = entries.filter(({ operation }) => operation.permission === 'open' && operation.answer.is !== 'events');

describe('what a caller without a session leaves in the store', () => {
  let app: App;
  before(async () => {
    app = withNamesApart(await openApp('memory'));
  });
  after(() => app.close());

  /** Bytes of all rows, as JSON. @param isWithoutRefusals leaves out the records of attempts that were refused */
  const bytes = (isWithoutRefusals = false): Promise<number> =>
    app.tamper(async (tx) => {
      let sum = 0;
      for (const { kind } of storageSchema)
        for (const row of await tx.list(kind, { where: { op: 'all' } }))
          if (!(isWithoutRefusals && kind === 'change' && row.entity === 'securityEvent')) sum += JSON.stringify(row).length;
      return sum;
    });

  /** Waits for all that a call leaves. Attempts that were refused are recorded before the audit is read. */
  const recorded = async (): Promise<void> => {
    await app.controller.api.audit.head();
    await app.settled();
  };

  const leaves = async (entry: Entry, call: SampleCall): Promise<number> => {
    const had = await bytes();
    const { status } = await callSample(app, entry.operation, { as: null, ...call });
    assert.ok(status < 500, `${nameOf(entry)}: ${status}`);
    await recorded();
    return (await bytes()) - had;
  };

  for (const entry of open) {
    const name = nameOf(entry);
    test(`${name}: no more than ${LEFT[name] ?? 0} bytes of a stranger, however large the input`, async () => {
      const stranger = await party('stranger');
      for (const call of enlarged(entry, await withoutProof(app, await sampleOf(app, entry))))
        for (const certificates of [[], chainOf(stranger)]) {
          const left = await leaves(entry, { ...call, certificates });
          assert.ok(left <= (LEFT[name] ?? 0), `${left} bytes of ${JSON.stringify(call).slice(0, 300)}`);
        }
    });

    if ((LEFT[name] ?? 0) > LEFT_BY_OTHERS) continue;
    test(`${name}: no more than ${LEFT_BY_OTHERS} bytes with valid credentials, however large the rest of the input`, async () => {
      const sample = await sampleOf(app, entry);
      for (const call of enlarged(entry, sample)) {
        const left = await leaves(entry, call);
        assert.ok(left <= LEFT_BY_OTHERS, `${left} bytes of ${JSON.stringify(call).slice(0, 300)}`);
      }
    });
  }

  test('wrong passwords leave one record for each time that they lock an identity, and besides those of the attempts nothing in between', async () => {
    const updb = { allowed: true, maxAttempts: 3, lockoutDurationMinutes: 1 };
    const authPolicyId = await app.create('/auth-policies', policyBody('three attempts', { updb }));
    const user = await app.user({ authPolicyId });
    const guess = async () => {
      assert.equal((await app.login(user.username, 'a wrong password')).status, 401);
      await recorded();
    };
    const left: number[] = [];
    for (let i = 0; i < 9; i++) {
      const had = await bytes(true);
      await guess();
      left.push((await bytes(true)) - had);
    }
    const [locked = 0] = left.filter((grown) => grown > 10);
    assert.ok(locked > 0 && locked < 5000, `${left}`);
    assert.equal(left.filter((grown) => grown > 10).length, 1, `${left}`);
    app.clock.advance('61s');
    const had = await bytes(true);
    for (let i = 0; i < 9; i++) await guess();
    assert.ok((await bytes(true)) - had <= 1.1 * locked);
    app.clock.advance('61s');
    assert.equal((await app.login(user.username, PASSWORD)).status, 200);
  });
});

/** A field of input with nothing in it that proves anything. */
const NO_PROOF: Readonly<Record<string, string>> = {
  password: 'a wrong password',
  token: '4fa5b8f0-0d7d-4f5d-a7b5-0f0f0f0f0f0f',
  code: 'a.b',
  refresh_token: 'a.b.c',
  subject_token: 'a.b.c',
  id_token_hint: 'a.b.c',
};

/**
 * The call of somebody who has neither session, password, token nor certificate. Logins of the provider are those that anybody can begin.
 */
const withoutProof = async (app: App, { as: _, certificates: __, ...sample }: SampleCall): Promise<SampleCall> => {
  const login = (await begin(app)).id;
  const robbed = (fields: Readonly<Record<string, unknown>>) =>
    Object.fromEntries(
      Object.entries(fields).map(([name, value]) => [
        name,
        ['id', 'authRequestID'].includes(name) ? login : name in NO_PROOF ? NO_PROOF[name] : value,
      ]),
    );
  return {
    ...sample,
    ...(sample.query === undefined ? {} : { query: formOf(robbed(fieldsIn(sample.query))) }),
    ...(typeof sample.body === 'string' && isForm(sample.body) ? { body: formOf(robbed(fieldsIn(sample.body))) } : {}),
    ...(typeof sample.body === 'object' && sample.body !== null ? { body: robbed({ ...sample.body }) } : {}),
  };
};

/** The call as it is, with each field as large as it may be, and with all that stand beside those given. */
const enlarged = ({ operation }: Entry, call: SampleCall): readonly SampleCall[] => {
  const { query = '', body } = call;
  const takesFields = typeof body !== 'string' || isForm(body);
  const inQuery = (room?: number) => largestFields(operation.query, room);
  const inBody = (room?: number) => (takesFields ? largestFields(operation.body?.schema, room) : []);
  const given: Readonly<Record<string, unknown>> = typeof body === 'string' ? fieldsIn(body) : { ...Object(body) };
  const withBody = (fields: Readonly<Record<string, unknown>>): SampleCall => ({
    ...call,
    body: typeof body === 'string' ? formOf(fields) : fields,
  });
  const withQuery = (fields: Readonly<Record<string, unknown>>): SampleCall => ({ ...call, query: formOf(fields) });
  return [
    call,
    ...inQuery().map(([name, value]) => withQuery({ ...fieldsIn(query), [name]: value })),
    ...inBody().map(([name, value]) => withBody({ ...given, [name]: value })),
    ...(inBody().length > 0 ? [withBody({ ...Object.fromEntries(inBody(SHARE)), ...given })] : []),
    ...(inQuery().length > 0 ? [withQuery({ ...Object.fromEntries(inQuery(SHARE)), ...fieldsIn(query) })] : []),
  ];
};

/** Characters of a field where all are there, of which no body has more than twenty. */
const SHARE = 45_000;

const isForm = (text: string): boolean => /^[\w-]+=/.test(text);

const fieldsIn = (form: string): Record<string, unknown> => Object.fromEntries(new URLSearchParams(form));

const formOf = (fields: Readonly<Record<string, unknown>>): string => {
  const pairs = Object.entries(fields).flatMap(([name, value]) => [value].flat().map((one): [string, string] => [name, String(one)]));
  return new URLSearchParams(pairs).toString();
};
