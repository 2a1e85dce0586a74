import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openAdopted } from '../support/adopted.ts';
import { chainOf } from '../support/certificates.ts';
import { party, sharedPki } from '../support/pki.ts';
import { certificatesIn, enrollRouter, extendRouter, requestsOf } from '../support/routers.ts';
import { stores } from '../support/stores.ts';

const dns = (...names: readonly string[]) => names.map((value) => ({ type: 'dns', value }) as const);

for (const store of stores)
  test(`on ${store}, adopted routers whose certificates share a name both keep it when they renew, and no other router gets it`, async () => {
    const { signer } = await sharedPki();
    const routerNamed = async (id: string, ...dnsNames: readonly string[]) => ({
      id,
      router: await party(id, { by: signer, names: { dnsNames } }),
    });
    const both = [await routerNamed('paris', 'lb.example', 'paris.example'), await routerNamed('rome', '*.example', 'lb.example')];
    const edge = {
      isVerified: true,
      isTunnelerEnabled: false,
      roleAttributes: [],
      appData: {},
      unverifiedCertPem: null,
      unverifiedFingerprint: null,
    };
    await using adopted = await openAdopted(
      store,
      {
        routers: both.map(({ id, router }) => ({
          id,
          name: id,
          fingerprint: router.certificate.fingerprint,
          edge: { ...edge, certPem: router.cert },
        })),
      },
      { open: { settings: { address: 'https://ctrl.net:1280', routerNames: ['*'] } } },
    );
    const { app } = adopted;
    const namesOf = async (answer: ReturnType<typeof extendRouter>) => {
      const { status, body, text } = await answer;
      assert.equal(status, 200, text);
      return certificatesIn(body.data.serverCert)[0]?.subjectAltName;
    };
    const asked = dns('lb.example', 'paris.example', '*.example');
    const extend = async (one: (typeof both)[number]) =>
      extendRouter(app, chainOf(one.router, signer), await requestsOf(one.id, { server: asked }));
    assert.equal(await namesOf(extend(both[0] as (typeof both)[number])), 'DNS:lb.example, DNS:paris.example');
    assert.equal(await namesOf(extend(both[1] as (typeof both)[number])), 'DNS:lb.example, DNS:*.example');
    const id = (await app.controller.api.edgeRouters.create({ body: { name: 'new' } })).id;
    const token = (await app.controller.api.edgeRouters.get({ id })).enrollmentToken ?? '';
    assert.equal(await namesOf(enrollRouter(app, '/edge-routers', token, await requestsOf(id, { server: asked }))), undefined);
  });
