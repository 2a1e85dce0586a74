/** GHSA-6v5r-p2wr-q492: the certificates of one's session were listed without a condition, so that every user read those of all others. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type App, onEveryStore } from '../support/app.ts';
import { tokensOf, withToken } from '../support/oidc.ts';
import { csr } from '../support/pki.ts';
import { certified } from '../support/session-certificates.ts';

const AT = '/edge/client/v1/current-api-session/certificates';

onEveryStore('certificates of the sessions of others', (open) => {
  test('are in no list, whatever the filter, and neither found nor deleted by their ids, by plain and by bearer sessions', async () => {
    await using app = await open();
    const [victim, attacker] = [await app.user(), await app.user()];
    const as = await victim.login();
    const made = (await app.request('POST', AT, { as, body: { csr: (await csr('CN=victim')).csr } })).body.data;
    const bound = await certified(app, victim.username);
    const rows = await app.rows('apiSessionCertificate');
    assert.equal(rows.length, 2);
    const bearer = (await tokensOf(app, attacker.username)).access_token;
    const [plain, sameOwner] = [await attacker.login(), await victim.login()];
    const ways = [
      (method: string, path: string) => withToken(app, bearer, path, { method }),
      ...[plain, sameOwner, app.admin].map((token) => (method: string, path: string) => app.request(method, path, { as: token })),
    ];
    for (const ask of ways) {
      for (const query of ['', '?filter=true%20limit%20none', `?filter=id%3D%22${made.id}%22%20or%20true`, '?sort=id&limit=500']) {
        const { body, text } = await ask('GET', `${AT}${query}`);
        assert.deepEqual(body.data, []);
        for (const { fingerprint } of rows) assert.ok(!text.includes(String(fingerprint)));
      }
      for (const { id } of rows)
        for (const method of ['GET', 'DELETE']) assert.equal((await ask(method, `${AT}/${id}`)).status, 404, `${method} ${id}`);
    }
    assert.equal(await app.count('apiSessionCertificate'), 2);
    assert.equal((await own(app, bound)).body.data.length, 1);
  });
});

const own = (app: App, { access_token, certificates }: Awaited<ReturnType<typeof certified>>) =>
  withToken(app, access_token, AT, { certificates });
