import { Bucket } from './bolt/bucket.ts';
import type { BoltFile } from './bolt/file.ts';
import type { LeafElement } from './bolt/page.ts';
import { PageClaims } from './bolt/page-claims.ts';
import { EntityDecoder } from './decode.ts';
import { FORMER_FIELDS } from './fields/entities.ts';
import type { FormerEntity, FormerKind } from './fields/former-entities.ts';
import { FormerDatabaseError } from './former-error.ts';
import { type Scalar, scalarOf, TYPES, textOf } from './values.ts';

/** A member of a cluster of controllers. */
export interface FormerMember {
  readonly id: string;
  readonly address: string;
  readonly isVoter: boolean;
}

/** The schema versions of releases 1.6.0 to 2.0.x. */
const OLDEST = 38;
const NEWEST = 44;

/** Far more than a cluster has. */
const MAX_MEMBERS = 1000;

/** Of the name that stands for an entity in reports. */
const MAX_NAME_BYTES = 4000;

/** Buckets below `ziti` that have no entities. */
const NO_KINDS = ['indexes', 'metadata', 'versions'];

/** The network in a bbolt file: what is in its root bucket `ziti`. */
export class FormerNetwork {
  readonly schemaVersion: number;
  readonly isCluster: boolean;
  readonly members: readonly FormerMember[];
  readonly isSnapshot: boolean;
  readonly #file: BoltFile;
  readonly #bucket: Bucket;

  /** @throws FormerDatabaseError `NOT_A_NETWORK`, `SCHEMA_UNSUPPORTED` */
  constructor(file: BoltFile) {
    this.#file = file;
    const root = Bucket.root(file);
    this.#bucket = root.bucket('ziti') ?? refuseForeign(root);
    this.schemaVersion = supported(scalarIn(this.#bucket.bucket('versions'), 'edge'));
    const metadata = this.#bucket.bucket('metadata');
    this.isCluster = ['raftIndex', 'clusterId'].some((field) => scalarIn(metadata, field) !== null);
    this.members = this.#membersIn(metadata?.bucket('servers'));
    this.isSnapshot = scalarIn(root.bucket('meta'), 'resetTimeline') === true;
  }

  /** The number of entities of each bucket. */
  counts(): ReadonlyMap<string, number> {
    const claims = new PageClaims();
    const counts = new Map<string, number>();
    for (const kind of this.#bucket.elements(claims)) {
      const name = textOf(kind.key, kind.page);
      if (!kind.isBucket || NO_KINDS.includes(name)) continue;
      let count = 0;
      for (const entity of Bucket.in(this.#file, kind).elements(claims)) if (entity.isBucket) count++;
      counts.set(name, count);
    }
    return counts;
  }

  *ids(kind: FormerKind): Generator<string, void, undefined> {
    for (const { key, page } of this.#bucket.bucket(kind)?.elements(new PageClaims()) ?? []) yield textOf(key, page);
  }

  *entities<K extends FormerKind>(kind: K): Generator<FormerEntity<K>, void, undefined> {
    const claims = new PageClaims();
    for (const element of this.#bucket.bucket(kind)?.elements(claims) ?? []) yield this.#decoded(kind, element, claims);
  }

  entity<K extends FormerKind>(kind: K, id: string): FormerEntity<K> | undefined {
    const element = this.#bucket.bucket(kind)?.get(Buffer.from(id));
    return element && this.#decoded(kind, element, new PageClaims());
  }

  /** The name of an entity, or the beginning of a long one, without reading the rest of it; undefined if it has none. */
  nameOf(kind: FormerKind, id: string): string | undefined {
    const entity = this.#bucket.bucket(kind)?.bucket(id);
    const { value, isBucket = true } = entity?.get(Buffer.from('name')) ?? {};
    return isBucket || value?.[0] !== TYPES.text ? undefined : value.toString('utf8', 1, MAX_NAME_BYTES);
  }

  #decoded<K extends FormerKind>(kind: K, element: LeafElement, claims: PageClaims): FormerEntity<K> {
    const id = textOf(element.key, element.page);
    const name = `${kind}/${id}`;
    if (!element.isBucket) throw new FormerDatabaseError('DAMAGED', `${name} is a value, not an entity`, element.page);
    const decoder = new EntityDecoder(this.#file, name, claims);
    const values = decoder.object(FORMER_FIELDS[kind], element);
    const cut = decoder.cut.size > 0 ? { cut: [...decoder.cut].sort() } : {};
    // Their type follows from the same declarations. A copy would cost as much as decoding them.
    return Object.assign(values, { id, unknown: [...decoder.unknown].sort(), ...cut }) as unknown as FormerEntity<K>;
  }

  #membersIn(servers: Bucket | undefined): readonly FormerMember[] {
    const members: FormerMember[] = [];
    for (const element of servers?.elements(new PageClaims()) ?? []) {
      if (members.length === MAX_MEMBERS)
        throw new FormerDatabaseError('TOO_LARGE', `a cluster has at most ${MAX_MEMBERS} members`, element.page);
      members.push(this.#member(element));
    }
    return members;
  }

  #member(element: LeafElement): FormerMember {
    const bucket = element.isBucket ? Bucket.in(this.#file, element) : undefined;
    const address = scalarIn(bucket, 'address');
    return {
      id: textOf(element.key, element.page),
      address: typeof address === 'string' ? address : '',
      isVoter: scalarIn(bucket, 'isVoter') === true,
    };
  }
}

/** Null for a value that is absent. */
const scalarIn = (bucket: Bucket | undefined, name: string): Scalar => {
  const element = bucket?.get(Buffer.from(name));
  return element && !element.isBucket ? scalarOf(element.value, element.page) : null;
};

const supported = (version: Scalar): number => {
  if (typeof version === 'number' && version >= OLDEST && version <= NEWEST) return version;
  const remedy =
    typeof version === 'number' && version > NEWEST
      ? 'it was written by a release later than 2.0, which cannot be downgraded: use a snapshot from before the upgrade'
      : 'start the former controller once at release 1.7.2 or 2.0, which migrates it, and stop it again';
  throw new FormerDatabaseError(
    'SCHEMA_UNSUPPORTED',
    `the database has ${version === null ? 'no schema version' : `schema version ${String(version)}`}, and versions ${OLDEST} to ${NEWEST} can be read: ${remedy}`,
  );
};

const refuseForeign = (root: Bucket): never => {
  const isRaftLog = root.bucket('logs') !== undefined && root.bucket('conf') !== undefined;
  throw new FormerDatabaseError(
    'NOT_A_NETWORK',
    isRaftLog
      ? 'the database is the log of a member of a cluster: its entities are in the file ctrl-ha.db beside it'
      : 'this is not a controller database: it has no bucket "ziti"',
  );
};
