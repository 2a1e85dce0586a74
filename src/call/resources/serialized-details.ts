/** Details as JSON text, cached until the data from which they are derived changes. */

import { withVersion } from '../../contract/api/kit/entity-version.ts';
import type { DetailOf, Kind, RowOf } from '../../contract/api/kit/resource.ts';
import { isLarge, SerializedJson } from '../../contract/api/surfaces/json-parts.ts';
import { createTimeSlice } from '../../runtime/concurrency/event-loop.ts';
import type { Entities, EntityDerivation } from '../../store/entities/entities.ts';
import type { Query, Row } from '../../store/storage/port.ts';
import { behaviourOf } from '../behaviour.ts';
import type { Call } from '../call.ts';
import { OWN_RIGHT } from '../grant.ts';
import { withholdsCredentials } from './credentials.ts';
import { limitsDisplays } from './displays.ts';
import { presentOne, presentRows, show, type WireDetail } from './present.ts';

/** Number of characters to serialize before yielding to the event loop. */
const CHARACTERS_PER_SLICE = 524_288;

/** True if details of a kind, apart from the fields of `presentNow`, are the same for every caller and change only with a change record. */
export const canCacheDetails = (kind: Kind, call: Call): boolean => {
  if (withholdsCredentials(kind, call) || (call.grant !== OWN_RIGHT && limitsDisplays(kind, call))) return false;
  const { present, presentNow } = behaviourOf(call, kind) ?? {};
  return (present === undefined || presentNow !== undefined) && !showsVolatile(kind);
};

const volatile = new WeakMap<Kind, boolean>();

/** True if details show fields that are written without a change record. */
const showsVolatile = (kind: Kind): boolean => {
  let shows = volatile.get(kind);
  if (shows === undefined) {
    shows = Object.values(kind.fields).some((field) => field.keep === 'stored' && field.volatile === true);
    volatile.set(kind, shows);
  }
  return shows;
};

/**
 * The detail of one row.
 * @param overrides values that replace fields of the detail
 */
export const serializedDetail = async <R extends Kind>(
  entities: Entities,
  kind: R,
  row: RowOf<R>,
  call: Call,
  overrides: Readonly<WireDetail> = {},
): Promise<DetailOf<R> | SerializedJson> => {
  if (!canCacheDetails(kind, call)) return Object.assign(await presentOne(entities, kind, row, call), overrides);
  const [detail] = await serializedDetails(entities, kind, [row], call, overrides);
  return detail as DetailOf<R> | SerializedJson; // built from the kind's own field table
};

/**
 * The details of rows, or of the rows that a query finds, of a cacheable kind. A large detail stays an object, so that it can be sent in
 * parts.
 */
export const serializedDetails = async (
  entities: Entities,
  kind: Kind,
  source: Query | readonly Row[],
  call: Call,
  overrides: Readonly<WireDetail> = {},
): Promise<readonly (WireDetail | SerializedJson)[]> => {
  const { present, presentNow } = behaviourOf(call, kind) ?? {};
  const derivation: EntityDerivation<WireDetail> = {
    form: `${kind.kind} ${JSON.stringify(overrides)}`,
    fields: presentNow?.of ?? [],
    derive: async (reads, rows, asTexts) => {
      const details = await presentRows(reads, kind, rows, call, present ? { present } : {});
      const yieldIfDue = createTimeSlice(CHARACTERS_PER_SLICE);
      const values: (string | WireDetail)[] = [];
      for (const detail of details) {
        Object.assign(detail, overrides);
        const text = !asTexts || isLarge(detail) ? undefined : JSON.stringify(detail);
        values.push(text ?? detail);
        const pause = yieldIfDue(text?.length ?? 0);
        if (pause) await pause;
      }
      return values;
    },
  };
  const derived = await entities.remember(kind, source, derivation);
  const rows = derived.map(({ row }) => row);
  const now = await presentNow?.present(entities, rows, call);
  return derived.map(({ row, value }, i) => {
    const version = kind.unrecorded ? undefined : row.version;
    if (typeof value === 'string') return new SerializedJson(withMembers(value, now?.[i]), version);
    show(value, now?.[i]);
    return version === undefined ? value : withVersion(value, version);
  });
};

/** Appends members to the JSON text of an object that has at least one. */
const withMembers = (text: string, added: Readonly<WireDetail> | undefined): string =>
  added ? `${text.slice(0, -1)},${JSON.stringify(added).slice(1)}` : text;
