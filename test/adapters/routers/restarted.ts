/** A controller that was killed and started again. */
import assert from 'node:assert/strict';
import { header } from '../../../src/fabric/control-channel/header-fields.ts';
import { connectScripted } from '../../../testing/scripted-router.ts';
import { SECRET_KEY } from '../../support/app.ts';
import type { SharedStorage } from '../../support/stores.ts';
import { routerNetwork } from './support.ts';
import { routed, type Traffic, tokenFor } from './traffic.ts';

export const on = (storage: SharedStorage) => ({ storage: storage.adapter(), secretKey: SECRET_KEY });

/** Another process on the same store, after the first one was killed. Its router and the token of its client come over to it. */
export const restarted = async (at: Traffic, storage: SharedStorage, script = routed, isAnew = false) => {
  const token = await tokenFor(at.dialing, at.serviceId, 'Dial');
  const next = await routerNetwork({ oidc: true, ...on(storage) });
  const { certificate, id } = at.fra1;
  assert.ok(certificate);
  const connect = () => {
    const lastConnectionId = header.connectionId.required(at.router.welcome);
    const options = { port: next.port, script, ...(isAnew ? {} : { lastConnectionId }) };
    return connectScripted({ id, certificate, clock: next.network.clock }, options);
  };
  return { ...next, token, connect, again: async () => ({ ...at, router: await connect() }) };
};
