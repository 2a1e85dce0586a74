import { FORMER_FIELDS } from '../../../adopt/reader/fields/entities.ts';
import type { FormerEntities, FormerKind } from '../../../adopt/reader/fields/former-entities.ts';
import { type BoltElement, type BoltFileOptions, type BoltTree, commitToBoltFile, ordered, writeBoltFile } from './bolt-writer.ts';
import { type EntityStyle, entityElements } from './entity-writer.ts';
import { boolValue, int64Value, textValue } from './values.ts';

/** An entity to write: fields that are left out are absent in the database; its dates are set if they are left out. */
export type NewFormerEntity<K extends FormerKind> = { readonly id: string } & Partial<FormerEntities[K]>;

/** By kind. A generator gives them by ascending ids, and is not kept in memory. */
export type NewFormerEntities = { readonly [K in FormerKind]?: Iterable<NewFormerEntity<K>> };

export interface FormerNetworkOptions extends BoltFileOptions, Omit<EntityStyle, 'schemaVersion'> {
  /** Default: 44. */
  readonly schemaVersion?: number | undefined;
  /** Makes it the database of a member of a cluster. */
  readonly members?: readonly { readonly id: string; readonly address: string; readonly isVoter: boolean }[] | undefined;
  /** Marks it as a snapshot. */
  readonly isSnapshot?: boolean | undefined;
  /** More buckets below `ziti`. */
  readonly others?: readonly BoltElement[] | undefined;
}

/** When entities were created, unless they say otherwise. */
export const FORMER_DATE = new Date('2025-03-01T12:00:00.123Z');

/** Writes the database of a former controller. */
export const writeFormerNetwork = (path: string, entities: NewFormerEntities, options: FormerNetworkOptions = {}): void =>
  writeBoltFile(path, formerTree(entities, options), options);

/** Commits another state to the database of a former controller, as it does while it runs. */
export const commitFormerNetwork = (
  path: string,
  entities: NewFormerEntities,
  options: FormerNetworkOptions & { readonly firstPage: number },
): void => commitToBoltFile(path, formerTree(entities, options), options);

/** The root bucket of such a database. */
export const formerTree = (entities: NewFormerEntities, options: FormerNetworkOptions = {}): BoltElement[] => {
  const release: EntityStyle = { ...options, schemaVersion: options.schemaVersion ?? 44 };
  return ordered([
    bucket('ziti', [
      ...Object.keys(entities).map((kind) => kindBucket(kind as FormerKind, entities, release)),
      bucket('versions', [value('edge', int64Value(release.schemaVersion))]),
      bucket('indexes', [bucket('identities', [bucket('name', [])])]),
      ...(options.members ? [cluster(options.members)] : []),
      ...(options.others ?? []),
    ]),
    bucket('meta', [value('timelineId', textValue('t1')), ...(options.isSnapshot ? [value('resetTimeline', boolValue(true))] : [])]),
    bucket('zdb', [bucket('index', [value('index', Buffer.alloc(8))])]),
  ]);
};

const bucket = (name: string, elements: readonly BoltElement[]): BoltElement => ({ key: Buffer.from(name), bucket: ordered(elements) });

const value = (name: string, bytes: Buffer): BoltElement => ({ key: Buffer.from(name), value: bytes });

const cluster = (members: NonNullable<FormerNetworkOptions['members']>): BoltElement =>
  bucket('metadata', [
    value('raftIndex', int64Value(17)),
    value('clusterId', textValue('c1')),
    bucket(
      'servers',
      members.map(({ id, address, isVoter }) => bucket(id, [value('address', textValue(address)), value('isVoter', boolValue(isVoter))])),
    ),
  ]);

const kindBucket = (kind: FormerKind, entities: NewFormerEntities, release: EntityStyle): BoltElement => {
  const given: Iterable<{ readonly id: string }> = entities[kind] ?? [];
  return {
    key: Buffer.from(kind),
    bucket: Array.isArray(given)
      ? ordered([...elements(kind, given, release)])
      : { [Symbol.iterator]: () => elements(kind, given, release) },
  };
};

function* elements(kind: FormerKind, entities: Iterable<{ readonly id: string }>, release: EntityStyle): Generator<BoltElement> {
  for (const { id, ...values } of entities)
    yield {
      key: Buffer.from(id),
      bucket: entityElements(FORMER_FIELDS[kind], { createdAt: FORMER_DATE, updatedAt: FORMER_DATE, ...values }, release),
    };
}

export type { BoltElement, BoltTree };
