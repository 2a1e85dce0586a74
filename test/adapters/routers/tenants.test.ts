import assert from 'node:assert/strict';
import { test } from 'node:test';
import { serve } from '../../../adapters/http/node.ts';
import { inspectRouters, routerHandler, serveRouters } from '../../../adapters/routers/node.ts';
import { createKit } from '../../../testing/kit.ts';
import { testOutbound } from '../../../testing/outbound.ts';
import { newEdgeRouter } from '../../../testing/routers.ts';
import { trackWork } from '../../../testing/work.ts';
import { newTenant, newTenantDatabase, openTenants } from '../../support/tenants.ts';
import { until } from '../../support/until.ts';
import { tls } from './support.ts';

const outbound = testOutbound(trackWork());

for (const port of ['its own port', 'the port of its API'] as const)
  test(`the routers of a tenant connect to its controller, on ${port}, and to none of another tenant`, async (t) => {
    await using database = newTenantDatabase('memory');
    await using app = await openTenants(database);
    for (const name of ['acme', 'other']) await newTenant(app.overlays, name);
    const [acme, other] = [await app.overlays.open('acme'), await app.overlays.open('other')];
    const open = (controller: typeof acme) =>
      port === 'its own port' ? serveRouters({ controller, tls }) : serve({ controller, tls, routers: routerHandler(controller) });
    const [atAcme, atOther] = [await open(acme), await open(other)];
    t.after(() => Promise.all([atAcme.close(), atOther.close()]));
    const fra1 = await newEdgeRouter(createKit(acme, app.clock, outbound), 'fra1', []);
    const router = await fra1.dial({ port: atAcme.port });
    assert.deepEqual(await inspectRouters(acme, { values: ['links'], routerIds: [] }), []);
    assert.deepEqual(await inspectRouters(other, { values: ['links'] }), []);
    await assert.rejects(fra1.dial({ port: atOther.port }));
    await app.overlays.erase('acme');
    await until(() => router.signal.aborted);
  });
