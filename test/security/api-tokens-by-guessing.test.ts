/** Guessing must not pay: a text that is no API token costs no query, and no refusal tells whether a token ever existed. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { apiTokenOf } from '../../src/contract/wire/api-token.ts';
import { SESSION_CHALLENGE } from '../../src/contract/wire/challenge.ts';
import { giveToken, rotate, tokenPath } from '../support/api-tokens.ts';
import { type App, onEveryStore } from '../support/app.ts';

const OTHER = 'A'.repeat(22);

/** Tokens that are refused, by the reason. */
const refusedTokens = async (app: App): Promise<Readonly<Record<string, string>>> => {
  const user = await app.user({ isAdmin: true });
  const give = (fields: object = {}) => giveToken(app, user.id, { isAdmin: true, ...fields });
  const [revoked, rotated, elsewhere, expired] = [
    await give(),
    await give(),
    await give({ addressRanges: ['192.0.2.0/24'] }),
    await give(),
  ];
  const disabled = await app.user();
  const ofDisabled = await giveToken(app, disabled.id);
  await app.request('DELETE', tokenPath(revoked.id));
  await rotate(app, rotated.id, 0);
  await app.alter('apiToken', expired.id, { expiresAt: '2020-01-01T00:00:00.000Z' });
  await app.request('POST', `/identities/${disabled.id}/disable`, { body: { durationMinutes: 0 } });
  return {
    unknown: apiTokenOf(OTHER, OTHER),
    'wrong secret': apiTokenOf(expired.id, OTHER),
    revoked: revoked.secret,
    rotated: rotated.secret,
    elsewhere: elsewhere.secret,
    expired: expired.secret,
    disabled: ofDisabled.secret,
  };
};

onEveryStore('a guessed API token', (open) => {
  test('is refused with the same answer, whatever is wrong with it', async () => {
    await using app = await open();
    const refused = { ...(await refusedTokens(app)), 'no token': 'oct_', 'wrong checksum': `oct_${'0'.repeat(50)}` };
    const answers = new Set<string>();
    for (const [why, secret] of Object.entries(refused)) {
      const { status, headers, body } = await app.request('GET', '/identities', { as: secret });
      assert.deepEqual(
        [status, headers['www-authenticate']],
        [401, `${SESSION_CHALLENGE} error="invalid" error_description="token is invalid"`],
        why,
      );
      answers.add(JSON.stringify([body.error, Object.keys(headers)]).replaceAll(body.error.requestId, ''));
      const bearer = await app.request('GET', '/identities', { as: null, headers: { authorization: `Bearer ${secret}` } });
      assert.equal(
        bearer.headers['www-authenticate'],
        'Bearer realm="openziti-oidc" error="invalid" error_description="token is invalid"',
        why,
      );
    }
    assert.equal(answers.size, 1);
    assert.doesNotMatch(app.log.join('\n'), /oct_/);
  });

  test('costs nothing without a right checksum, and otherwise the same as one that expired', async () => {
    const statements: number[] = [];
    await using app = await open({
      observe: (event) => void (event.type === 'operation' && statements.push(event.statements ?? Number.NaN)),
    });
    const refused = await refusedTokens(app);
    const costOf = async (as: string) => {
      await app.settled();
      statements.length = 0;
      await app.request('GET', '/identities', { as });
      return statements[0];
    };
    for (const text of ['oct_', `oct_${'0'.repeat(50)}`, `oct_${'x'.repeat(4000)}`]) assert.equal(await costOf(text), 0, text);
    const costs: Record<string, unknown> = {};
    for (const [why, text] of Object.entries(refused)) {
      await costOf(text);
      costs[why] = await costOf(text);
    }
    assert.equal(new Set(Object.values(costs)).size, 1, JSON.stringify(costs));
  });
});
