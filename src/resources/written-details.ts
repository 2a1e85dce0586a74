/** Details as ready JSON text, cached until the data read for them changes. */
import { withVersion } from '../api/kit/entity-version.ts';
import type { DetailOf, Kind, RowOf } from '../api/kit/resource.ts';
import { isLarge, Written } from '../api/surfaces/json-parts.ts';
import { behaviourOf } from '../call/behaviour.ts';
import type { Call } from '../call/call.ts';
import { OWN_RIGHT } from '../call/grant.ts';
import { createTimeSlice } from '../concurrency/event-loop.ts';
import type { Entities, EntityDerivation } from '../entities/entities.ts';
import type { Query, Row } from '../storage/port.ts';
import { withholdsCredentials } from './credentials.ts';
import { limitsDisplays } from './displays.ts';
import { presentOne, presentRows, show, type WireDetail } from './present.ts';

/** Characters that are written before yielding to the event loop. */
const CHARACTERS_AT_ONCE = 524_288;

/** True if details of a kind are the same for every caller and show only recorded fields, except those of `presentNow`. */
export const areRemembered = (kind: Kind, call: Call): boolean => {
  if (call.grant !== OWN_RIGHT && (withholdsCredentials(kind, call) || limitsDisplays(kind, call))) return false;
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
 * The detail of one row, as a separate answer.
 * @param instead values that replace its own fields
 */
export const writtenDetail = async <R extends Kind>(
  entities: Entities,
  kind: R,
  row: RowOf<R>,
  call: Call,
  instead: Readonly<WireDetail> = {},
): Promise<DetailOf<R> | Written> => {
  if (!areRemembered(kind, call)) return Object.assign(await presentOne(entities, kind, row, call), instead);
  const [detail] = await writtenDetails(entities, kind, [row], call, instead);
  return detail as DetailOf<R> | Written; // built from the kind's own field table
};

/** The same of several rows, or of those of a list, of a kind whose details are remembered. A large one is no text, so that it can be sent in parts. */
export const writtenDetails = async (
  entities: Entities,
  kind: Kind,
  of: Query | readonly Row[],
  call: Call,
  instead: Readonly<WireDetail> = {},
): Promise<readonly (WireDetail | Written)[]> => {
  const { present, presentNow } = behaviourOf(call, kind) ?? {};
  const derivation: EntityDerivation<WireDetail> = {
    form: `${kind.kind} ${JSON.stringify(instead)}`,
    fields: presentNow?.of ?? [],
    derive: async (reads, rows, asTexts) => {
      const details = await presentRows(reads, kind, rows, call, present ? { present } : {});
      const turn = createTimeSlice(CHARACTERS_AT_ONCE);
      const values: (string | WireDetail)[] = [];
      for (const detail of details) {
        Object.assign(detail, instead);
        const text = !asTexts || isLarge(detail) ? undefined : JSON.stringify(detail);
        values.push(text ?? detail);
        const others = turn(text?.length ?? 0);
        if (others) await others;
      }
      return values;
    },
  };
  const derived = await entities.remember(kind, of, derivation);
  const rows = derived.map(({ row }) => row);
  const now = await presentNow?.present(entities, rows, call);
  return derived.map(({ row, value }, i) => {
    const detail = typeof value === 'string' ? new Written(withMore(value, now?.[i])) : value;
    if (!(detail instanceof Written)) show(detail, now?.[i]);
    return kind.unrecorded ? detail : withVersion(detail, row.version);
  });
};

/** The JSON text of an object, with more members. */
const withMore = (text: string, more: Readonly<WireDetail> | undefined): string =>
  more ? `${text.slice(0, -1)},${JSON.stringify(more).slice(1)}` : text;
