import { defaultSettings } from '../../src/call/settings.ts';
import { checkedOptions, requireStorage } from '../../src/contract/options.ts';
import { secretsOf } from '../../src/controller/opening/secret-key.ts';
import { type CertificateEnd, certificateEnds } from '../../src/crypto/pki/certificate-ends.ts';
import { type AdoptedAuthority, type PreparedAuthority, prepareAuthority } from '../../src/operations/authority/adopted-authority.ts';
import { isoTime } from '../../src/runtime/platform/clock.ts';
import type { Platform } from '../../src/runtime/platform/platform.ts';
import { createSecrets, newSecretKey, type SecretKeys } from '../../src/runtime/platform/secrets.ts';
import { webPlatform } from '../../src/runtime/platform/web.ts';
import { ADOPTION, type LogLimits } from '../../src/store/changelog/log.ts';
import { sealText } from '../../src/store/entities/sealed.ts';
import { createStamps } from '../../src/store/entities/stamps.ts';
import { newId } from '../../src/store/storage/ids.ts';
import type { StorageAdapter } from '../../src/store/storage/port.ts';
import { storageSchema } from '../../src/store/storage/schema.ts';
import { withStore } from '../../src/store/storage/with-store.ts';
import { type Conversion, convert } from './convert.ts';
import { Findings } from './findings.ts';
import type { FormerNetwork } from './former.ts';
import { firstKindIn, insertNetwork } from './insert.ts';
import { knownEntities } from './known-entities.ts';
import { checkedLosses, type LossName } from './losses.ts';
import { AdoptionRefused } from './refused.ts';
import type { AdoptionReport } from './report.ts';

/** The source and the target of an adoption. */
export interface AdoptionOptions {
  /** The network of the former controller. */
  readonly former: FormerNetwork;
  /** The certificates and keys of the former controller, which its database does not hold. */
  readonly authority: AdoptedAuthority;
  /** An empty store. No controller may be open on it. Not needed for a plan. */
  readonly storage?: StorageAdapter | undefined;
  /** The secret key of the network from now on. Default: that of the storage. Not needed for a plan. */
  readonly secretKey?: string | undefined;
  /** Only reports what would be adopted, and writes nothing. Default false. */
  readonly plan?: boolean | undefined;
  /** The losses that are accepted, by name. Default: none. */
  readonly allow?: readonly LossName[] | undefined;
  /** Default: `webPlatform()`. */
  readonly platform?: Platform | undefined;
}

const OPTIONS = { former: true, authority: true, storage: true, secretKey: true, plan: true, allow: true, platform: true } as const;

/**
 * Adopts the network of another controller into an empty store, in one transaction: afterwards, the store has all of it or nothing. A plan
 * reads the same, and tells the same, but writes nothing.
 * @throws AdoptionRefused if the store is not empty, if something would be lost that is not allowed to be, or if the network cannot be
 * stored; TypeError for invalid options and for an authority that does not fit; errors of the former network and of the store
 */
export const adoptFormerNetwork = async (options: AdoptionOptions): Promise<AdoptionReport> => {
  const {
    former,
    authority,
    storage,
    plan = false,
    allow = [],
    platform = webPlatform(),
    ...given
  } = checkedOptions('adoptNetwork', options, OPTIONS);
  const allowed = checkedLosses('adoptNetwork', allow);
  if (!plan || storage !== undefined) requireStorage('adoptNetwork', storage);
  const now = isoTime(platform.clock.now());
  const planned = new Findings();
  const known = await knownEntities(former);
  const dry: Conversion = {
    // A plan does not show which of them issued a certificate, for which each must be parsed and verified.
    known: { ...known, authorities: [] },
    findings: planned,
    now,
    isChecking: true,
    // Nothing of it is kept, but it has the form of what will be.
    seal: async () => 'v1.00000000.planned',
    newId: () => 'planned',
  };
  for await (const _rows of convert(former, dry));
  const reportOf = (more: Partial<AdoptionReport>): AdoptionReport => ({
    isAdopted: false,
    schemaVersion: former.schemaVersion,
    kinds: planned.kinds(),
    ...planned.administrators,
    losses: planned.losses(allowed),
    refusals: [],
    certificates: [],
    enrollmentsUntil: planned.enrollmentsUntil,
    hasNumericTags: planned.hasNumericTags,
    revision: 0,
    ...more,
  });
  const keys = storage && (await secretsOf(given.secretKey, storage, platform.random));
  const { prepared, certificates, fault } = await checkedAuthority(authority, planned.enrollmentsUntil, platform, keys);
  const refusals = [...planned.refusals, ...losing(planned, allowed), ...(fault ?? []), ...(storage ? await faultsOfStore(storage) : [])];
  if (plan || refusals.length > 0 || !storage || !keys || !prepared) {
    const report = reportOf({ refusals, certificates });
    if (!plan) throw new AdoptionRefused(refusals, report);
    return report;
  }
  const revision = await withStore(storage, (store) =>
    store.transaction(
      'write',
      async (tx) => {
        const kind = await firstKindIn(tx, storageSchema);
        if (kind !== undefined) throw new AdoptionRefused([notEmpty(kind)]);
        const conversion: Conversion = {
          ...dry,
          known,
          findings: new Findings(),
          isChecking: false,
          seal: (kind, field, row, text) => sealText(keys, kind, field, row, text),
          newId: () => newId(platform.random),
        };
        const last = await insertNetwork(tx, former, conversion, {
          ...ADOPTION,
          random: platform.random,
          stamp: createStamps(platform.clock),
          ...logLimits(planned),
          keys,
          prepared,
        });
        former.assertUnchanged();
        return last;
      },
      // The database of the former controller is read meanwhile. Nobody else writes to an empty store.
      { mayPause: true, mayShareCommit: true },
    ),
  );
  return reportOf({ isAdopted: true, certificates, revision });
};

/** Each adopted entity is at least one change. */
const logLimits = (planned: Findings): LogLimits => {
  const { changesKept, changeBytesKept } = defaultSettings;
  const changes = planned.kinds().reduce((sum, { adopted }) => sum + adopted, 0);
  return { changesKept, changeBytesKept, firstKept: Math.max(1, changes - changesKept + 1) };
};

interface CheckedAuthority {
  readonly prepared?: PreparedAuthority;
  readonly certificates: readonly CertificateEnd[];
  /** The problem, as a sentence. */
  readonly fault?: readonly string[];
}

const checkedAuthority = async (
  authority: AdoptedAuthority,
  until: Date | undefined,
  { random, clock }: Platform,
  keys: SecretKeys | undefined,
): Promise<CheckedAuthority> => {
  const keepServerUntil = authority.keepServerUntil ?? until?.getTime();
  const secrets = keys ?? (await temporaryKeys(random));
  let certificates: readonly CertificateEnd[] = [];
  try {
    certificates = await certificateEnds(authority);
    return { prepared: await prepareAuthority({ ...authority, keepServerUntil }, { secrets, random, now: clock.now() }), certificates };
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    return { certificates, fault: [error.message] };
  }
};

/** A plan without a store seals under a key that nobody keeps. */
const temporaryKeys = (random: Platform['random']): Promise<SecretKeys> => createSecrets([newSecretKey(random)], random);

/** The losses that are not allowed, as sentences. */
const losing = (findings: Findings, allowed: ReadonlySet<LossName>): readonly string[] =>
  findings
    .losses(allowed)
    .filter(({ isAllowed }) => !isAllowed)
    .map(({ name, about, count }) => `${name} (${count}): ${about}`);

const notEmpty = (kind: string): string =>
  `a network is adopted into an empty store only, and this one has rows of ${kind}: take a new database, file or namespace`;

const faultsOfStore = (storage: StorageAdapter): Promise<readonly string[]> =>
  withStore(storage, async (store) => {
    // A read-only store may lack tables.
    const schema = storageSchema.filter(({ kind }) => store.kinds?.has(kind) ?? true);
    const kind = await store.transaction('read', (tx) => firstKindIn(tx, schema));
    return kind === undefined ? [] : [notEmpty(kind)];
  });
