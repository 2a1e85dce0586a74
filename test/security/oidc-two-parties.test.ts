/**
 * A victim who signs in on pages, and an attacker who began the login and may send anything in any order: the attacker never gets a token
 * of the victim, nor the secret of its second factor.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type Answer, type App, openApp, PASSWORD } from '../support/app.ts';
import { enrollMfa, totp } from '../support/mfa.ts';
import { begin, claimsOf, get, inLocation, post, redeem } from '../support/oidc.ts';
import { policyBody } from '../support/policies.ts';

/** What a person has: credentials, a second factor or none yet, and the cookies of a browser. */
interface Party {
  readonly username: string;
  readonly id: string;
  /** A code that is right now, where TOTP is enrolled. */
  code(): string;
  cookie: string;
  /** Steps of the script that it has taken. */
  at: number;
  /** The key of the callback, where an answer gave it to this party. */
  key: string | undefined;
}

const STEPS = ['password', 'totp', 'enroll', 'verify', 'giveUp', 'queries', 'callback'] as const;
const MEDIA = ['application/json', 'text/html', '*/*'] as const;

/** A login as it succeeds. A walk takes the next of these more often than any other, or hardly one would arrive. */
const SCRIPTS = {
  none: ['password', 'callback'],
  owed: ['password', 'enroll', 'verify', 'callback'],
  enrolled: ['password', 'totp', 'callback'],
} as const satisfies Record<string, readonly (typeof STEPS)[number][]>;

interface Move {
  readonly who: 'victim' | 'attacker';
  /** `next`: of the script of this party. */
  readonly what: (typeof STEPS)[number] | 'next';
  readonly accept: (typeof MEDIA)[number];
  /** Whether the attacker sends a cookie that it has. */
  readonly withCookie: boolean;
}

const walk: fc.Arbitrary<readonly Move[]> = fc.constantFrom(...MEDIA).chain((usual) =>
  fc.array(
    fc.record({
      who: fc.constantFrom('victim' as const, 'attacker' as const),
      what: fc.oneof({ arbitrary: fc.constant('next' as const), weight: 2 }, { arbitrary: fc.constantFrom(...STEPS), weight: 1 }),
      accept: fc.oneof({ arbitrary: fc.constant(usual), weight: 4 }, { arbitrary: fc.constantFrom(...MEDIA), weight: 1 }),
      withCookie: fc.oneof({ arbitrary: fc.constant(true), weight: 4 }, { arbitrary: fc.constant(false), weight: 1 }),
    }),
    { minLength: 2, maxLength: 16, size: 'max' },
  ),
);

type Sent = Move & { readonly what: (typeof STEPS)[number] };

const send = (app: App, id: string, party: Party, { what, accept, withCookie }: Sent): Promise<Answer> => {
  const headers = { accept, ...(withCookie && party.cookie ? { cookie: party.cookie } : {}) };
  const code = party.code();
  switch (what) {
    case 'password':
      return post(app, '/login/username', { id, username: party.username, password: PASSWORD }, { headers });
    case 'totp':
      return post(app, '/login/totp', { id, code }, { headers });
    case 'enroll':
      return post(app, '/login/totp/enroll', { id }, { headers });
    case 'verify':
      return post(app, '/login/totp/enroll/verify', { id, code }, { headers });
    case 'giveUp':
      return app.request('DELETE', '/oidc/login/totp/enroll', { as: null, body: { id, code }, headers });
    case 'queries':
      return get(app, '/login/auth-queries', { id }, { headers });
    case 'callback':
      return get(app, '/authorize/callback', { id, key: party.key }, { headers });
  }
};

/** The secret that an answer shows, as the address of a program or on a page. */
const secretIn = ({ text }: Answer): string | undefined => /secret=([A-Z2-7]+)/.exec(text)?.[1];

for (const [factor, script] of Object.entries(SCRIPTS))
  test(`whatever the order of their steps, the attacker gets nothing of the victim (second factor: ${factor})`, async () => {
    await using app = await openApp('memory', { oidc: { loginsPerMinute: 1e6 }, settings: { maxWrongCodes: 1e6 } });
    const authPolicyId =
      factor === 'owed' ? await app.create('/auth-policies', policyBody('two factors', { secondary: { requireTotp: true } })) : 'default';
    const partyOf = async (): Promise<Party & { readonly secrets: Set<string> }> => {
      const { id, username, login } = await app.user({ authPolicyId });
      const secrets = new Set<string>();
      const enrolled = factor === 'enrolled' ? await enrollMfa(app, await login()) : undefined;
      const code = () => enrolled?.code() ?? totp([...secrets].at(-1) ?? 'AAAAAAAAAAAAAAAA', app.clock.now());
      return { id, username, code, secrets, cookie: '', at: 0, key: undefined };
    };
    const reached = new Set<string>();
    await fc.assert(
      fc.asyncProperty(walk, async (moves) => {
        const [victim, attacker] = [await partyOf(), await partyOf()];
        const login = await begin(app);
        const codes: string[] = [];
        for (const one of moves) {
          const party = one.who === 'victim' ? victim : attacker;
          const what = one.what === 'next' ? (script[party.at++ % script.length] ?? 'password') : one.what;
          // The victim is a person with a browser: it shows pages, and has cookies.
          const sent = { ...one, what, ...(one.who === 'victim' ? ({ accept: 'text/html', withCookie: true } as const) : {}) };
          const answer = await send(app, login.id, party, sent);
          assert.ok(answer.status < 500, answer.text);
          party.cookie = (answer.headers['set-cookie'] ?? '').split(';')[0] || party.cookie;
          party.key = inLocation(answer, 'key') ?? party.key;
          const secret = secretIn(answer);
          if (secret) party.secrets.add(secret);
          const code = inLocation(answer, 'code');
          if (code) reached.add(`${one.who} ${what}`);
          if (code && one.who === 'attacker') codes.push(code);
          if (one.who === 'attacker') assert.ok(!answer.text.includes(victim.username), `${what}: ${answer.text.slice(0, 500)}`);
          app.clock.advance('31s');
        }
        for (const secret of attacker.secrets) assert.ok(!victim.secrets.has(secret));
        for (const code of codes) {
          const { status, body } = await redeem(app, login, code);
          if (status === 200) assert.equal(claimsOf(body.access_token).sub, attacker.id);
        }
      }),
      { numRuns: 150 },
    );
    // The walks are long enough to succeed where they may.
    assert.deepEqual([...reached].sort(), ['attacker callback', 'victim callback']);
  });
