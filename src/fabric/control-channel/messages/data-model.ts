/** The data model: the entities from which routers decide access. */
import { field, message, valueType } from '../codec/index.ts';
import { fromRouters, tableMessage } from './message-type.ts';

const precedence = valueType.enumeration(['default', 'required', 'failed']);

const identity = message({
  id: field.text(1),
  name: field.text(2),
  defaultHostingPrecedence: field.named(3, precedence),
  defaultHostingCost: field.uint32(4),
  serviceHostingPrecedences: field.mapped(5, valueType.text, precedence),
  serviceHostingCosts: field.mapped(6, valueType.text, valueType.uint32),
  appDataJson: field.bytes(7),
  serviceConfigs: field.mapped(8, valueType.text, message({ configs: field.mapped(1, valueType.text, valueType.text) })),
  disabled: field.bool(9),
});

const service = message({ id: field.text(1), name: field.text(2), encryptionRequired: field.bool(3), configs: field.texts(4) });

const policyType = valueType.enumeration(['invalid', 'dial', 'bind']);
const servicePolicy = message({ id: field.text(1), name: field.text(2), policyType: field.named(3, policyType) });

const related = valueType.enumeration(['invalid', 'service', 'identity', 'postureCheck']);
const servicePolicyChange = message({
  policyId: field.text(1),
  relatedEntityIds: field.texts(2),
  relatedEntityType: field.named(3, related),
  add: field.bool(4),
});

const processCheck = message({ osType: field.text(1), path: field.text(2), hashes: field.texts(3), fingerprints: field.texts(4) });

const postureCheck = message({
  id: field.text(1),
  name: field.text(2),
  typeId: field.text(4),
  mac: field.nested(7, message({ macAddresses: field.texts(1) })),
  mfa: field.nested(
    8,
    message({
      timeoutSeconds: field.int64(1),
      promptOnWake: field.bool(2),
      promptOnUnlock: field.bool(3),
      ignoreLegacyEndpoints: field.bool(4),
    }),
  ),
  osList: field.nested(9, message({ osList: field.list(1, message({ osType: field.text(1), osVersions: field.texts(2) })) })),
  process: field.nested(10, processCheck),
  processMulti: field.nested(11, message({ semantic: field.text(1), processes: field.list(2, processCheck) })),
  domains: field.nested(12, message({ domains: field.texts(1) })),
});

const usage = valueType.enumeration(['jwtValidation', 'clientCertificateValidation']);
const keyFormat = valueType.enumeration(['certificate', 'spki']);
const publicKey = message({ data: field.bytes(1), kid: field.text(2), usages: field.list(3, usage), format: field.named(4, keyFormat) });

const time = message({ seconds: field.int64(1), nanos: field.int32(2) });
/** `type` is `API_SESSION`, `IDENTITY` or `JTI`. For an identity, it revokes the tokens issued before `issuedBefore`. */
const revocation = message({
  id: field.text(1),
  expiresAt: field.nested(2, time),
  type: field.text(3),
  issuedBefore: field.nested(4, time),
});

const config = message({ id: field.text(1), typeId: field.text(2), name: field.text(3), dataJson: field.text(4) });

/** A change of one entity, which is in one of the fields from `identity` to `config`. */
const event = message({
  action: field.named(1, valueType.enumeration(['create', 'update', 'delete'])),
  isSynthetic: field.bool(3),
  identity: field.nested(10, identity),
  service: field.nested(11, service),
  servicePolicy: field.nested(12, servicePolicy),
  postureCheck: field.nested(13, postureCheck),
  publicKey: field.nested(14, publicKey),
  revocation: field.nested(15, revocation),
  servicePolicyChange: field.nested(16, servicePolicyChange),
  configType: field.nested(17, message({ id: field.text(1), name: field.text(2) })),
  config: field.nested(18, config),
});

/** An event of a full state or of a change set, as passed to the encoder. */
export type DataEvent = Parameters<(typeof event)['encode']>[0];

/**
 * Subscribes to the data model for `subscriptionDurationSeconds`. Routers of the 2.x line name the subscription, and ignore what comes for
 * another one: the header `dataModelSubscription` repeats its id.
 */
const subscribeToDataModel = fromRouters(
  { bytes: 4096, elements: 32, cost: 1 },
  tableMessage(20505, 'SubscribeToDataModelRequest', {
    currentIndex: field.uint64(1),
    subscriptionDurationSeconds: field.uint32(2),
    renew: field.bool(3),
    timelineId: field.text(4),
    subscriptionId: field.text(5),
  }),
);

/** The full state of the data model. */
const dataState = tableMessage(20500, 'DataState', {
  events: field.list(1, event),
  endIndex: field.uint64(2),
  timelineId: field.text(3),
  caches: field.mapped(4, valueType.text, message({ data: field.mapped(1, valueType.text, valueType.bytes) })),
});

/**
 * An incremental update of the data model. `previousIndex` is the index that it applies to: a router with another index lacks a change, and
 * subscribes again.
 */
const changeSet = tableMessage(20501, 'DataState.ChangeSet', {
  index: field.uint64(1),
  isSynthetic: field.bool(2),
  changes: field.list(3, event),
  timestampId: field.text(4),
  previousIndex: field.uint64(5),
});

/** Asks a router to compare its model with a state, the body of a `dataState`, and to take that if `fix` is set and they differ. */
const validateModel = tableMessage(20503, 'RouterDataModelValidateRequest', { state: field.bytes(1), fix: field.bool(2) });

const difference = message({ entityType: field.text(1), entityId: field.text(2), diffType: field.text(3), detail: field.text(4) });

/** The answer: the differences. */
const modelDifferences = fromRouters(
  { bytes: 8_388_608, elements: 200_000 },
  tableMessage(20504, 'RouterDataModelValidateResponse', { diffs: field.list(3, difference) }),
);

/** Messages of the data model. */
export const dataModelMessages = { subscribeToDataModel, dataState, changeSet, validateModel, modelDifferences } as const;
