/** How routers are told of an entity: a row for each kind that their data model has. */
import { osName } from '../../../api/posture-checks/os-type.ts';
import { isDisabled } from '../../../authentication/actors.ts';
import type { ChangedRow } from '../../../changes/events.ts';
import type { dataModelMessages } from '../../../control-channel/messages/data-model.ts';
import { utf8 } from '../../../control-channel/text.ts';
import { readPem } from '../../../pki/pem.ts';
import { keyDocument } from './keys.ts';
import { caseSpellings, hexSpellings, macSpellings, versionRanges } from './posture-checks.ts';

/** An entry of a full state or of a change set. */
export type DataEvent = NonNullable<Parameters<(typeof dataModelMessages.changeSet)['encode']>[0]['changes']>[number];

/** What an entry is about: just one of its fields. */
export type ModelDocument = Omit<DataEvent, 'action' | 'isSynthetic'>;

/** What a document says beside its row. */
export interface Beside {
  /** The configs that an identity sees in place of those of a service. */
  readonly serviceConfigs: readonly ChangedRow<'serviceConfig'>[];
  /** ISO text. */
  readonly now: string;
}

type Documents = { readonly [K in ModelKind]: (row: ChangedRow<K>, beside: Beside) => ModelDocument | undefined };

/** The kinds, in the order in which a full state tells of them: what others point to comes first. */
export const modelKinds = ['configType', 'config', 'identity', 'service', 'postureCheck', 'servicePolicy', 'ca', 'revocation'] as const;
export type ModelKind = (typeof modelKinds)[number];

/** The document of a row; undefined for one that routers are not told of. */
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
  postureCheck: (row) => ({ postureCheck: { id: row.id, name: row.name, typeId: row.typeId, ...checked(row) } }),
  ca: ({ certPem, fingerprint, isVerified }) => {
    const der = isVerified ? readPem(certPem, { labels: ['CERTIFICATE'], most: MOST_CERTIFICATES }).value?.[0] : undefined;
    return der && keyDocument({ data: der, kid: fingerprint ?? '', usages: ['clientCertificateValidation'], format: 'certificate' });
  },
  revocation: ({ id, type, expiresAt, createdAt }) => ({
    revocation: {
      id,
      type,
      expiresAt: timeOf(expiresAt),
      // A login after that is none of those that were revoked.
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

/** Certificates that the text of an authority has at most; the first is the authority. */
const MOST_CERTIFICATES = 100;

/** By service, the id of the config for each config type. */
const configsByService = (rows: Beside['serviceConfigs']) =>
  new Map(
    [...Map.groupBy(rows, ({ serviceId }) => serviceId)].map(([serviceId, own]) => [
      serviceId,
      { configs: new Map(own.map(({ configTypeId, configId }) => [configTypeId, configId])) },
    ]),
  );

/** What a posture check asks of an endpoint, in the router's words. */
const checked = (row: ChangedRow<'postureCheck'>): Partial<NonNullable<ModelDocument['postureCheck']>> => {
  switch (row.typeId) {
    case 'MAC':
      return { mac: { macAddresses: row.macAddresses.flatMap(macSpellings) } };
    case 'DOMAIN':
      return { domains: { domains: [...new Set(row.domains.flatMap(caseSpellings))] } };
    case 'MFA':
      return {
        mfa: {
          timeoutSeconds: BigInt(row.timeoutSeconds),
          promptOnWake: row.promptOnWake ?? false,
          promptOnUnlock: row.promptOnUnlock ?? false,
          ignoreLegacyEndpoints: row.ignoreLegacyEndpoints ?? false,
        },
      };
    case 'OS':
      return {
        osList: {
          osList: row.operatingSystems.map(({ type, versions }) => ({ osType: osName(type), osVersions: versionRanges(versions) })),
        },
      };
    case 'PROCESS': {
      const { osType, path, hashes, signerFingerprint } = row.process;
      const fingerprints = hexSpellings(signerFingerprint ? [signerFingerprint] : []);
      return { process: { osType: osName(osType), path, hashes: hexSpellings(hashes ?? []), fingerprints } };
    }
    case 'PROCESS_MULTI':
      return {
        processMulti: {
          // Routers know no `OneOf`, which means the same.
          semantic: row.semantic === 'AllOf' ? 'AllOf' : 'AnyOf',
          processes: row.processes.map(({ osType, path, hashes, signerFingerprints }) => ({
            osType: osName(osType),
            path,
            hashes: hexSpellings(hashes),
            fingerprints: hexSpellings(signerFingerprints),
          })),
        },
      };
  }
};
