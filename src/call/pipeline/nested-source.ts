import type { NestedOperation } from '../call.ts';
import type { CallSource } from '../call-source.ts';
import type { EnclosingTransaction } from '../enclosing-transaction.ts';

/**
 * The source of a nested call: that of the call, with another input. Lists each property, because the source may be an instance with
 * getters.
 */
export const nestedSource = (source: CallSource, { input, ifVersion }: NestedOperation, enclosing?: EnclosingTransaction): CallSource => ({
  actor: source.actor,
  requestId: source.requestId,
  onBehalfOf: source.onBehalfOf,
  reason: source.reason,
  surface: source.surface,
  mounted: source.mounted,
  origin: source.origin,
  credentials: source.credentials,
  peerCertificates: source.peerCertificates ?? [],
  remoteAddress: source.remoteAddress ?? '',
  host: source.host,
  mount: source.mount ?? '',
  ...(source.signal && { signal: source.signal }),
  hostTransaction: source.hostTransaction,
  observation: source.observation,
  input: () => input,
  expectedVersions: () => (ifVersion === undefined ? undefined : [ifVersion]),
  enclosing,
});
