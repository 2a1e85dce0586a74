import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mfa } from '../../src/contract/api/mfa.ts';
import { createSecrets } from '../../src/runtime/platform/secrets.ts';
import { webRandom } from '../../src/runtime/platform/web.ts';
import { sealText } from '../../src/store/entities/sealed.ts';
import { proves } from '../specification.ts';
import { type App, onEveryStore, SECRET_KEY } from '../support/app.ts';
import { beginMfa, enrollMfa, type Factor, giveCode, totp } from '../support/mfa.ts';
import { assertInvalid, assertRefused } from '../support/refusals.ts';

const AT = '/current-identity/mfa';

/** The kinds of codes that are tried. Those that are `spent` have completed a login before. */
const kinds = ['TOTP', 'spent TOTP', 'recovery', 'spent recovery', 'wrong', 'empty', 'absent'] as const;
type Kind = (typeof kinds)[number];
type State = 'none' | 'unverified' | 'verified';

interface Operation {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly path: string;
  /** True if the code belongs in the body, where it is required; otherwise it is sent in a header. */
  readonly inBody: boolean;
  /** The answer in each state: the same for every code, or the kinds of codes that are accepted. */
  readonly answers: Readonly<Record<State, string | readonly Kind[]>>;
}

const operations: Readonly<Record<string, Operation>> = {
  'completing a login': {
    method: 'POST',
    path: '/authenticate/mfa',
    inBody: true,
    answers: { none: '409 MFA_NOT_ENROLLED', unverified: '409 MFA_NOT_ENROLLED', verified: ['TOTP', 'recovery'] },
  },
  'verifying an enrollment': {
    method: 'POST',
    path: `${AT}/verify`,
    inBody: true,
    answers: { none: '404 NOT_FOUND', unverified: ['TOTP'], verified: '404 NOT_FOUND' },
  },
  'seeing recovery codes': {
    method: 'GET',
    path: `${AT}/recovery-codes`,
    inBody: false,
    answers: { none: '404 NOT_FOUND', unverified: '404 NOT_FOUND', verified: ['TOTP', 'spent TOTP'] },
  },
  'replacing recovery codes': {
    method: 'POST',
    path: `${AT}/recovery-codes`,
    inBody: true,
    answers: { none: '404 NOT_FOUND', unverified: '404 NOT_FOUND', verified: ['TOTP', 'spent TOTP', 'recovery'] },
  },
  'ending MFA': {
    method: 'DELETE',
    path: AT,
    inBody: false,
    answers: { none: '404 NOT_FOUND', unverified: kinds, verified: ['TOTP', 'spent TOTP', 'recovery'] },
  },
  'seeing the state': {
    method: 'GET',
    path: AT,
    inBody: false,
    answers: { none: '404 NOT_FOUND', unverified: '200', verified: '200' },
  },
  'seeing the QR code': {
    method: 'GET',
    path: `${AT}/qr-code`,
    inBody: false,
    answers: { none: '404 NOT_FOUND', unverified: '200', verified: '404 NOT_FOUND' },
  },
};

/** Creates a user in each state, with a full session, and the codes that exist in this state. */
const states: Readonly<Record<State, (app: App) => Promise<{ as: string; codes: Readonly<Partial<Record<Kind, string>>> }>>> = {
  none: async (app) => ({
    as: await (await app.user()).login(),
    codes: { TOTP: '123456', recovery: 'ABCDEF', wrong: '000000', empty: '' },
  }),
  unverified: async (app) => {
    const as = await (await app.user()).login();
    return { as, codes: codesOf(await beginMfa(app, as)) };
  },
  verified: async (app) => {
    const user = await app.user();
    const as = await user.login();
    const factor = await enrollMfa(app, as);
    const codes = { ...codesOf(factor), 'spent TOTP': factor.code(-1), 'spent recovery': factor.recoveryCodes[1] ?? '' };
    for (const code of [codes['spent TOTP'], codes['spent recovery']])
      assert.equal((await giveCode(app, await user.login(), code)).status, 200);
    return { as, codes };
  },
};
const codesOf = ({ code, recoveryCodes, wrongCode }: Factor) => ({
  TOTP: code(),
  recovery: recoveryCodes[0] ?? '',
  wrong: wrongCode(),
  empty: '',
});

const expected = ({ inBody, answers }: Operation, state: State, kind: Kind): string => {
  if (inBody && kind === 'absent') return '400 COULD_NOT_VALIDATE';
  const answer = answers[state];
  if (typeof answer === 'string') return answer;
  return answer.includes(kind) ? '200' : '400 MFA_INVALID_TOKEN';
};

onEveryStore('what each code does', (open) => {
  for (const state of ['none', 'unverified', 'verified'] as const) {
    test(
      `where MFA is ${state}, every operation answers every kind of code as it should`,
      proves(262, 263, 264, 267, 269, 361, 364, 366, 367, 438),
      async (t) => {
        await using app = await open();
        for (const [name, operation] of Object.entries(operations)) {
          await t.test(name, async () => {
            for (const kind of kinds) {
              const { as, codes } = await states[state](app);
              if (kind !== 'absent' && codes[kind] === undefined) continue;
              const code = codes[kind];
              const given = operation.inBody
                ? { body: code === undefined ? {} : { code } }
                : { headers: code === undefined ? {} : { 'mfa-validation-code': code } };
              const { status, body } = await app.request(operation.method, operation.path, { as, ...given });
              const answer = status === 200 ? '200' : `${status} ${body.error.code}`;
              assert.equal(answer, expected(operation, state, kind), kind);
            }
          });
        }
      },
    );
  }

  test('codes of the two intervals before and after are taken, and no others', proves(434), async () => {
    await using app = await open();
    const user = await app.user();
    const { code } = await enrollMfa(app, await user.login());
    const answers: number[] = [];
    for (const interval of [-3, -2, -1, 0, 1, 2, 3]) answers.push((await giveCode(app, await user.login(), code(interval))).status);
    assert.deepEqual(answers, [400, 200, 200, 200, 200, 200, 400]);
  });

  test('what only resembles a code is none', async () => {
    await using app = await open({ settings: { maxWrongCodes: 100 } });
    const user = await app.user();
    const { code, recoveryCodes } = await enrollMfa(app, await user.login());
    const as = await user.login();
    const recovery = recoveryCodes.find((each) => /[A-Z]/.test(each)) ?? assert.fail('no recovery code has a letter');
    const fullWidth = [...code()].map((digit) => String.fromCodePoint(0xff10 + Number(digit))).join('');
    const givens = [
      `${code()}\u0000`,
      `+${code()}`,
      `0${code()}`,
      code().slice(1),
      `${code().slice(0, 3)}-${code().slice(3)}`,
      fullWidth,
      recovery.toLowerCase(),
      recovery.slice(0, 5),
      `${recovery}-`,
      recoveryCodes.join(''),
      recoveryCodes.join(','),
      '%',
    ];
    for (const given of givens) {
      const { status, body } = await giveCode(app, as, given);
      assert.equal(status, 400, given.slice(0, 20));
      // No text of a body may contain a NUL character.
      assert.equal(body.error.code, given.includes('\u0000') ? 'COULD_NOT_PARSE_BODY' : 'MFA_INVALID_TOKEN');
    }
    assertInvalid(await giveCode(app, as, 'x'.repeat(100_000)), 'code'); // too long to be compared
    assert.equal((await giveCode(app, as, code())).status, 200);
  });

  test('secrets of 10 to 100 bytes, as other controllers issue them, are accepted; new ones have 20 bytes', async () => {
    await using app = await open();
    const secrets = await createSecrets([SECRET_KEY], webRandom);
    for (const characters of [16, 24, 32, 160]) {
      const { id, login } = await app.user();
      const { secret, wrongCode } = await enrollMfa(app, await login());
      assert.equal(secret.length, 32);
      const stored = secret.repeat(5).slice(0, characters);
      const row = (await app.rows('mfa')).find(({ identityId }) => identityId === id) ?? assert.fail();
      await app.alter('mfa', row.id, { sealedSecret: await sealText(secrets, mfa, 'sealedSecret', row, stored) });
      const as = await login();
      assertRefused(await giveCode(app, as, wrongCode()), 400, 'MFA_INVALID_TOKEN');
      assert.equal((await giveCode(app, as, totp(stored, app.clock.now()))).status, 200, `${characters} characters`);
    }
  });

  test('a code is accepted as apps show it, with white space anywhere, and spent only once', async () => {
    await using app = await open();
    const user = await app.user();
    const factor = await enrollMfa(app, await user.login());
    for (const [intervals, space] of [
      [-2, ' '],
      [-1, '\u00a0'],
      [1, '\u202f'],
      [2, '\t'],
    ] as const) {
      const code = factor.code(intervals);
      const shown = `${space}${code.slice(0, 3)}${space}${code.slice(3)}${space}`;
      assert.equal((await giveCode(app, await user.login(), shown)).status, 200, JSON.stringify(space));
      assertInvalidCode(await giveCode(app, await user.login(), code));
    }
    const [recovery = ''] = factor.recoveryCodes;
    assert.equal((await giveCode(app, await user.login(), `${recovery.slice(0, 3)} ${recovery.slice(3)}`)).status, 200);
    assertInvalidCode(await giveCode(app, await user.login(), `${factor.wrongCode().slice(0, 3)} ${factor.wrongCode().slice(3)}`));
  });
});

const assertInvalidCode = (answer: Parameters<typeof assertRefused>[0]): void => assertRefused(answer, 400, 'MFA_INVALID_TOKEN');
