import type { EntityReference } from '../../contract/api/kit/entity.ts';
import { withVersion } from '../../contract/api/kit/entity-version.ts';
import { type Fields, showsEmptyList } from '../../contract/api/kit/field.ts';
import type { DetailOf, Kind, RowOf } from '../../contract/api/kit/resource.ts';
import { fieldsOf } from '../../contract/api/kit/variants.ts';
import { oneOf, stringField } from '../../query/index.ts';
import { inBatches, yieldToEventLoop } from '../../runtime/concurrency/event-loop.ts';
import type { Entities } from '../../store/entities/entities.ts';
import { listing } from '../../store/entities/reads.ts';
import type { Row } from '../../store/storage/port.ts';
import { behaviourOf, type Presenter } from '../behaviour.ts';
import type { Call } from '../call.ts';
import { withholdCredentials } from './credentials.ts';
import { displaysFor } from './displays.ts';
import { kindOf } from './kinds.ts';
import { linksOf, referenceTo } from './links.ts';

export type WireDetail = Record<string, unknown>;

/**
 * Converts rows to details. For each page of rows, takes one query for each kind to which they refer.
 * @param presenter default: the behaviour of the kind
 * @returns one detail for each row, in the same order, with its version attached (`versionOf`)
 */
export const presentRows = (
  entities: Entities,
  kind: Kind,
  rows: readonly Row[],
  call: Call,
  presenter: Presenter | undefined = behaviourOf(call, kind),
): Promise<readonly WireDetail[]> => inParts(rows, (part) => presentPart(entities, kind, part, call, presenter));

const presentPart = async (
  entities: Entities,
  kind: Kind,
  rows: readonly Row[],
  call: Call,
  presenter: Presenter | undefined,
): Promise<readonly WireDetail[]> => {
  if (rows.length === 0) return [];
  const { references } = layoutOf(kind.fields);
  const targets = await loadTargets(entities, references, rows);
  const displayed = await displaysFor(entities, kind, rows, call);
  const computed = await presenter?.present?.(entities, rows, call);
  const now = await presenter?.presentNow?.present(entities, rows, call);
  // Tags are notes of the network's administrators, which unauthenticated callers must not see.
  const hidesTags = call.operation.permission === 'open';
  const hidden = call.core.settings.compat === '1.7' ? layoutOf(kind.fields).newerThan17 : [];
  const details: WireDetail[] = [];
  for (const [i, row] of rows.entries()) {
    const detail = layoutOf(fieldsOf(kind, row)).show(kind, row);
    if (hidesTags) detail.tags = {};
    for (const [r, { field, name, target, urlName, orNull }] of references.entries()) {
      const reference = targets[r]?.get(String(row[field]));
      if (reference) detail[name] = urlName ? { ...reference, urlName: target.collection } : reference;
      else if (orNull) detail[name] = null;
    }
    Object.assign(detail, displayed?.[i]);
    show(detail, computed?.[i]);
    show(detail, now?.[i]);
    for (const name of hidden) delete detail[name];
    details.push(kind.unrecorded ? detail : withVersion(detail, row.version));
  }
  await withholdCredentials(entities, kind, rows, details, call);
  return details;
};

/** Maximum number of rows that are converted at once: those of the longest page. */
const ROWS_AT_ONCE = 500;

/** Maps rows in parts, because presenters compute all that they are given at once, which would block the event loop for many rows. */
export const inParts = async <R, T>(rows: readonly R[], map: (part: readonly R[]) => Promise<readonly T[]>): Promise<readonly T[]> => {
  if (rows.length <= ROWS_AT_ONCE) return map(rows);
  const mapped: T[] = [];
  for (const part of inBatches(rows, () => 1, ROWS_AT_ONCE)) {
    mapped.push(...(await map(part)));
    await yieldToEventLoop();
  }
  return mapped;
};

/**
 * Converts one row to a detail.
 * @param presenter default: the behaviour of the kind
 */
export const presentOne = async <R extends Kind>(
  entities: Entities,
  kind: R,
  row: RowOf<R>,
  call: Call,
  presenter?: Presenter,
): Promise<DetailOf<R>> => {
  const [detail] = await presentRows(entities, kind, [row], call, presenter);
  return detail as DetailOf<R>; // built from the kind's own field table
};

/** Adds fields to a detail, or replaces existing ones. A value of `undefined` removes the field. */
export const show = (detail: WireDetail, shown: Readonly<WireDetail> | undefined): void => {
  for (const name in shown) {
    if (shown[name] !== undefined) detail[name] = shown[name];
    else if (name in detail) delete detail[name];
  }
};

interface Layout {
  readonly show: (kind: Kind, row: Row) => WireDetail;
  readonly references: readonly {
    readonly field: string;
    readonly name: string;
    readonly target: Kind;
    readonly urlName: boolean;
    readonly orNull: boolean;
  }[];
  /** Names of the fields that releases after 1.7 introduced. */
  readonly newerThan17: readonly string[];
}

const layouts = new WeakMap<Fields, Layout>();

const layoutOf = (fields: Fields): Layout => {
  const cached = layouts.get(fields);
  if (cached) return cached;
  const stored = Object.entries(fields).filter(([, field]) => field.keep === 'stored');
  const shown = stored.map(([name, { absent = false, set, default: unset }]) => ({
    name,
    absent,
    isNullWhenEmpty: set !== undefined && !showsEmptyList(set),
    unset,
  }));
  const blank = blankOf(['_links', 'createdAt', 'id', 'tags', 'updatedAt', ...shown.flatMap(({ name, absent }) => (absent ? [] : [name]))]);
  const layout: Layout = {
    show: (kind, row) => {
      const detail = { ...blank };
      detail._links = linksOf(kind, row);
      detail.createdAt = row.createdAt;
      detail.id = row.id;
      detail.tags = row.tags ?? {};
      detail.updatedAt = row.updatedAt;
      for (const { name, absent, isNullWhenEmpty, unset } of shown) {
        const value = row[name] ?? unset;
        if (absent && (value === null || value === false)) continue;
        detail[name] = isNullWhenEmpty && (value as readonly string[]).length === 0 ? null : value;
      }
      return detail;
    },
    references: stored.flatMap(([field, { reference }]) => {
      const target = reference && kindOf(reference.target);
      return target && !reference.alone && field.endsWith('Id')
        ? [{ field, name: field.slice(0, -2), target, urlName: reference.urlName === true, orNull: reference.orNull === true }]
        : [];
    }),
    newerThan17: Object.keys(fields).filter((name) => fields[name]?.since !== undefined),
  };
  layouts.set(fields, layout);
  return layout;
};

/**
 * An object with these fields, to be copied and filled. If more than a dozen fields with computed names are added to an object, V8 stores
 * it as a dictionary, which is slower to serialize. It does not do so for parsed objects and copies of them.
 */
const blankOf = (names: readonly string[]): WireDetail => JSON.parse(JSON.stringify(Object.fromEntries(names.map((name) => [name, null]))));

/** Loads the targets of the references of a page. Returns a map for each reference, from ids to references as answers show them. */
const loadTargets = async (
  entities: Entities,
  references: Layout['references'],
  rows: readonly Row[],
): Promise<readonly ReadonlyMap<string, EntityReference>[]> => {
  const found = await entities.readAll(
    references.map(({ field, target }) => {
      const ids = new Set(rows.map((row) => row[field]).filter((id) => typeof id === 'string'));
      return listing(target, { where: oneOf(stringField('id'), [...ids]) });
    }),
  );
  return references.map(({ target }, i) => new Map((found[i] ?? []).map((row) => [row.id, referenceTo(target, row)])));
};
