import type { Consumer, ManagementController } from '../../src/index.ts';

/** Posts each change of a device to an address, at least once and in order, even if the portal crashes repeatedly. */
export const startWebhook = (controller: ManagementController, address: string): Consumer =>
  controller.changes.consume(
    'portal-webhook',
    async ({ revision, action, entityId, actor }, { signal }) => {
      const response = await fetch(address, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'idempotency-key': String(revision) },
        body: JSON.stringify({ revision, action, device: entityId, actor }),
        signal: AbortSignal.any([signal, AbortSignal.timeout(10_000)]),
      });
      if (!response.ok) throw new Error(`the receiver answered ${response.status}`);
    },
    { kinds: ['identity'], at: 'oldest' },
  );
