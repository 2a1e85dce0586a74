import type { CallSource, Part, Whole } from '../call/call.ts';

/** The source of a part of a call: that of the call, with the input of the part. Written out, because a source may be an instance with getters. */
export const partSource = (source: CallSource, { input, ifVersion }: Part, whole?: Whole): CallSource => ({
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
  whole,
});
