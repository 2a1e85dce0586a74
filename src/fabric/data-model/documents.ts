import { isDisabled } from '../../call/authentication/actors.ts';
import type { ChangedRow } from '../../contract/changes/events.ts';
import { readPem } from '../../crypto/pki/pem.ts';
import type { DataEvent } from '../control-channel/messages/data-model.ts';
import { utf8 } from '../control-channel/primitives.ts';
import { postureCheckFields } from './posture-checks.ts';

/** An entity as sent to routers: the single field of an event that holds it. */
export type ModelDocument = Omit<DataEvent, 'action' | 'isSynthetic'>;

/** The state that a document depends on, in addition to its row. */
export interface DocumentContext {
  /** The service configs of an identity. */
  readonly serviceConfigs: readonly ChangedRow<'serviceConfig'>[];
  /** ISO text. */
  readonly now: string;
}

type Documents = { readonly [K in ModelKind]: (row: ChangedRow<K>, context: DocumentContext) => ModelDocument | undefined };

/** The kinds of the model, in the order of a full state: entities precede the references to them. */
export const modelKinds = ['configType', 'config', 'identity', 'service', 'postureCheck', 'servicePolicy', 'ca', 'revocation'] as const;
export type ModelKind = (typeof modelKinds)[number];

/** The document of a row, by kind; undefined for rows that routers do not get. */
export const documents: Documents = {
  configType: ({ id, name }) => ({ configType: { id, name } }),
  config: ({ id, name, configTypeId, data }) => ({ config: { id, name, typeId: configTypeId, dataJson: JSON.stringify(data) } }),
  identity: (row, { serviceConfigs, now }) => ({
    identity: {
      id: row.id,
      name: row.name,
      defaultHostingPrecedence: row.defaultHostingPrecedence ?? 'default',
      defaultHostingCost: row.defaultHostingCost ?? 0,
      serviceHostingPrecedences: new Map(Object.entries(row.serviceHostingPrecedences)),
      serviceHostingCosts: new Map(Object.entries(row.serviceHostingCosts)),
      appDataJson: utf8(JSON.stringify(row.appData ?? {})),
      serviceConfigs: configsByService(serviceConfigs),
      disabled: isDisabled(row, now),
    },
  }),
  service: ({ id, name, encryptionRequired, configs }) => ({ service: { id, name, encryptionRequired, configs } }),
  servicePolicy: ({ id, name, type }) => ({ servicePolicy: { id, name, policyType: POLICY_TYPES[type] } }),
  postureCheck: (row) => ({ postureCheck: { id: row.id, name: row.name, typeId: row.typeId, ...postureCheckFields(row) } }),
  ca: ({ certPem, fingerprint, isVerified }) => {
    const der = isVerified ? readPem(certPem, { labels: ['CERTIFICATE'], maxBlocks: MAX_CERTIFICATES }).value?.[0] : undefined;
    if (!der) return undefined;
    return { publicKey: { data: der, kid: fingerprint ?? '', usages: ['clientCertificateValidation'], format: 'certificate' } };
  },
  revocation: ({ id, type, expiresAt, createdAt }) => ({
    revocation: {
      id,
      type,
      expiresAt: timeOf(expiresAt),
      // The revocation of an identity does not affect later logins.
      ...(type === 'IDENTITY' ? { issuedBefore: timeOf(createdAt) } : {}),
    },
  }),
};

/** @param at ISO text */
const timeOf = (at: string | null) => {
  const milliseconds = Date.parse(at ?? '');
  return { seconds: BigInt(Math.floor(milliseconds / 1000)), nanos: (milliseconds % 1000) * 1_000_000 };
};

const POLICY_TYPES = { Dial: 'dial', Bind: 'bind', Invalid: 'invalid' } as const;

/** Maximum number of certificates in the PEM of an authority. The first one is that of the authority. */
const MAX_CERTIFICATES = 100;

/** For each service, the ids of the configs by config type. */
const configsByService = (rows: DocumentContext['serviceConfigs']) =>
  new Map(
    [...Map.groupBy(rows, ({ serviceId }) => serviceId)].map(([serviceId, serviceRows]) => [
      serviceId,
      { configs: new Map(serviceRows.map(({ configTypeId, configId }) => [configTypeId, configId])) },
    ]),
  );
