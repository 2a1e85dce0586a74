import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join, resolve } from 'node:path';
import { describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { newCsr } from '../../testing/certificates.ts';
import { readExposition, valueIn } from '../support/exposition.ts';
import { needsPostgres } from '../support/postgres.ts';
import { asking, SECRET_KEY, spans, startPortal, surroundings } from './portal/portal.ts';

const jtiOf = (jwt: string): string => JSON.parse(Buffer.from(jwt.split('.')[1] ?? '', 'base64url').toString()).jti;

describe('the portal of examples/portal', needsPostgres, () => {
  test('users of the single sign-on enroll their own devices, and nobody else does', async () => {
    await using portal = await startPortal();
    const ann = await portal.issuer.token('ann', 'blue');
    const { status, body } = await portal.ask(ann, 'POST', '/devices', { name: 'laptop' });
    assert.equal(status, 201);
    const { csr } = await newCsr('laptop');
    const enrolled = await fetch(`${portal.url}/edge/client/v1/enroll?method=ott&token=${jtiOf(body.token)}`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-pem-file' },
      body: csr,
    });
    assert.equal(enrolled.status, 200);
    const { data } = (await enrolled.json()) as { readonly data: { readonly cert: string } };
    assert.match(data.cert, /^-----BEGIN CERTIFICATE-----/);
    assert.deepEqual((await portal.ask(ann, 'GET', '/devices')).body, [{ id: body.id, name: 'ann: laptop', isOnline: false }]);

    const bob = await portal.issuer.token('bob', 'blue');
    assert.deepEqual((await portal.ask(bob, 'GET', '/devices')).body, []);
    assert.equal((await portal.ask(bob, 'DELETE', `/devices/${body.id}`)).status, 404);
    assert.equal((await portal.ask('no token', 'GET', '/devices')).status, 401);
    const again = await portal.ask(ann, 'POST', '/devices', { name: 'laptop' });
    assert.deepEqual([again.status, again.body.error.cause.field], [400, 'name']);
    assert.equal((await portal.ask(ann, 'GET', '/edge/management/v1/identities')).status, 404, 'the management API is not mounted');
  });

  test('a team administrator manages the devices of one team, and each change is in the audit under the name of its user', async () => {
    await using portal = await startPortal();
    const [ann, eve] = [await portal.issuer.token('ann', 'blue'), await portal.issuer.token('eve', 'red')];
    const chief = await portal.issuer.token('chief', 'blue', 'team-admin');
    const blue = await portal.ask(ann, 'POST', '/devices', { name: 'laptop' });
    const red = await portal.ask(eve, 'POST', '/devices', { name: 'telephone' });
    assert.deepEqual(
      (await portal.ask(chief, 'GET', '/devices')).body.map(({ name }: { name: string }) => name),
      ['ann: laptop'],
    );
    assert.equal((await portal.ask(chief, 'DELETE', `/devices/${red.body.id}`)).status, 404);
    assert.equal((await portal.ask(chief, 'DELETE', `/devices/${blue.body.id}`, { reason: 'lost on a train' })).status, 204);
    const audit = (await portal.ask(chief, 'GET', '/audit')).body;
    assert.deepEqual(
      audit.map(({ actor, action, device, reason }: Record<string, string>) => [actor, action, device, reason]),
      [
        ['sso:ann', 'create', 'ann: laptop', null],
        ['sso:chief', 'delete', 'ann: laptop', 'lost on a train'],
      ],
    );
    assert.equal((await portal.ask(ann, 'GET', '/audit')).status, 403);
    for (const who of ['"; drop', 'a b', '*']) {
      const strange = await portal.issuer.token(who, 'blue');
      assert.equal((await portal.ask(strange, 'GET', '/devices')).status, 401, who);
    }
  });

  test('Prometheus scrapes its metrics, and a trace spans the portal and the controller', async () => {
    await using portal = await startPortal();
    spans.reset();
    const ann = await portal.issuer.token('ann', 'blue');
    assert.equal((await portal.ask(ann, 'POST', '/devices', { name: 'laptop' })).status, 201);
    const families = readExposition((await portal.ask(ann, 'GET', '/metrics')).body);
    assert.equal(valueIn(families, 'overlay_controller_requests_total', { operation: 'createIdentity', status: '2xx' }), 1);
    const all = spans.getFinishedSpans();
    const host = all.find(({ name }) => name === 'POST /devices');
    const children = all.filter(({ parentSpanContext }) => parentSpanContext?.spanId === host?.spanContext().spanId);
    assert.deepEqual(children.map(({ name }) => name).toSorted(), ['createIdentity', 'detailIdentity']);
    for (const child of children) assert.equal(child.spanContext().traceId, host?.spanContext().traceId);
  });

  test('its webhook gets every change, however often the portal is killed', async () => {
    await using around = await surroundings();
    const environment = {
      ...process.env,
      DATABASE_URL: around.schema.connectionString,
      SECRET_KEY,
      ISSUER: around.issuer.url,
      WEBHOOK: around.receiver.url,
      PORT: '0',
      ADDRESS: 'https://portal.example',
    };
    const ann = await around.issuer.token('ann', 'blue');
    const created: string[] = [];
    const told = () => {
      const creations = around.receiver.delivered.filter(({ action, actor }) => action === 'create' && actor === 'sso:ann');
      return [...new Set(creations.map(({ device }) => device))];
    };
    const KILLS = 5;
    for (let run = 0; run <= KILLS; run++) {
      const main = join(resolve(import.meta.dirname, '../..'), 'examples/portal/main.ts');
      const child = spawn(process.execPath, [main], { env: environment, stdio: ['ignore', 'pipe', 'inherit'] });
      const [said] = await once(child.stdout, 'data');
      const ask = asking(/http:\S+/.exec(String(said))?.[0] ?? '');
      for (let i = 0; i < 4; i++) {
        const { status, body } = await ask(ann, 'POST', '/devices', { name: `device ${run}.${i}` });
        assert.equal(status, 201, JSON.stringify(body));
        created.push(body.id);
      }
      const isLast = run === KILLS;
      // A lease of a killed consumer runs for half a minute. What it had delivered and not written down is delivered once more.
      while (isLast && told().length < created.length) await sleep(100);
      child.kill(isLast ? 'SIGTERM' : 'SIGKILL');
      await once(child, 'close');
    }
    assert.deepEqual(told(), created, 'each device, and in order');
  });
});
