/** An enrollment of a former database may hold a JWT that is none, or that of another token: it must not break the lists that show it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openAdopted } from '../support/adopted.ts';
import { NOW } from '../support/pki.ts';

const claimed = (claims: unknown) => `x.${btoa(JSON.stringify(claims))}.z`;

test('an enrollment whose JWT cannot be read, or has another token, shows its own token', async () => {
  const jwts = ['x.y.z', 'none', claimed(null), claimed({ jti: 'other' })];
  await using adopted = await openAdopted('memory', {
    identities: jwts.map((_, at) => ({ id: `i${at}`, name: `i${at}` })),
    enrollments: jwts.map((jwt, at) => ({
      id: `e${at}`,
      identity: `i${at}`,
      method: 'ott',
      token: `token-${at}`,
      jwt,
      expiresAt: new Date(NOW + 60_000),
    })),
  });
  const { enrollments, identities } = adopted.app.controller.api;
  const { data } = await enrollments.list({ sort: 'id' });
  assert.deepEqual(
    data.map(({ token }) => token),
    jwts.map((_, at) => `token-${at}`),
  );
  const listed = await identities.list({ filter: 'name contains "i"', sort: 'id' });
  assert.deepEqual(
    listed.data.flatMap(({ enrollment }) => enrollment?.ott?.token ?? []),
    jwts.map((_, at) => `token-${at}`),
  );
});
