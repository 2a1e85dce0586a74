import type { CertificateEnd } from '../../src/crypto/pki/certificate-ends.ts';
import type { LossName } from './losses.ts';

/** The adoption of the entities of one former kind. */
export interface AdoptedKind {
  /** The name of the kind in the former database, e.g. `identities`. */
  readonly kind: string;
  /** Entities in the former database. */
  readonly read: number;
  /** Adopted entities. */
  readonly adopted: number;
  /** Number of adopted entities that were changed, by change. */
  readonly changed: Readonly<Record<string, number>>;
  /** Number of entities that were left out, by reason. */
  readonly leftOut: Readonly<Record<string, number>>;
}

/** An entity that does not keep everything. */
export interface Losing {
  /** The name of its kind in the former database. */
  readonly kind: string;
  readonly id: string;
  /** Its name, or the name of the identity or router that it belongs to; its id if there is none. */
  readonly name: string;
  /** The loss, in a few words. */
  readonly detail: string;
}

/** A kind of loss, with the entities that it affects. */
export interface Loss {
  readonly name: LossName;
  /** Its description, one sentence. */
  readonly about: string;
  readonly isAllowed: boolean;
  /** Number of entities affected. */
  readonly count: number;
  /** The first thousand of them. */
  readonly entities: readonly Losing[];
}

/** An identity with administrator rights. */
export interface FormerAdministrator {
  readonly id: string;
  readonly name: string;
  /** True for the first administrator, which the former controller created itself. */
  readonly isDefaultAdmin: boolean;
}

/** The result of an adoption, or the plan of one. */
export interface AdoptionReport {
  /** False for a plan, which writes nothing. */
  readonly isAdopted: boolean;
  /** The schema version of the former database. */
  readonly schemaVersion: number;
  readonly kinds: readonly AdoptedKind[];
  /** Number of administrators. */
  readonly administratorCount: number;
  /** The first hundred of them. */
  readonly administrators: readonly FormerAdministrator[];
  /** The losses. An adoption must allow each of them by name. */
  readonly losses: readonly Loss[];
  /** The reasons why the network cannot be adopted, one sentence each. Empty after an adoption. */
  readonly refusals: readonly string[];
  /** The certificates of the authority with their expiry, earliest first. */
  readonly certificates: readonly CertificateEnd[];
  /** Expiry of the last outstanding enrollment: the server certificate must not change before. Undefined without such enrollments. */
  readonly enrollmentsUntil: Date | undefined;
  /** True if tags contain numbers, which can only be written back with the setting `numericTags`. */
  readonly hasNumericTags: boolean;
  /** The revision of the network after the adoption; 0 for a plan. */
  readonly revision: number;
}
