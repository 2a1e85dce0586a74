/** Entities that forms refer to: their names, searches among them, and counts of selections. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { filter as filterText } from '../../client/index.ts';
import { type Entity, entityApi, titleOf } from './kinds.ts';
import { countOf } from './matching.ts';
import { mayList, readNames } from './names.ts';
import { observable, useObservable } from './observable.ts';
import { client, session } from './session.ts';

/** Names of entities by group and id; null for one that does not exist, or that the session may not see. */
const names = observable<ReadonlyMap<string, string | null>>(new Map());

const keyOf = (group: string, id: string): string => `${group}/${id}`;

const remember = (entries: readonly (readonly [key: string, name: string | null])[]): void =>
  names.set(new Map([...names.get(), ...entries]));

export const rememberName = (group: string, entity: Entity): void => remember([[keyOf(group, entity.id), titleOf(entity)]]);

const loadNames = async (group: string, ids: readonly string[]): Promise<void> => {
  try {
    const found = await readNames(group, ids);
    remember(ids.map((id) => [keyOf(group, id), found.get(id) ?? null]));
  } catch {
    // Their ids are shown.
  }
};

/** The name of an entity; null if there is none with this id; undefined while it is unknown. */
export type NameOf = (id: string) => string | null | undefined;

/** Reads the names of entities, each once for a component. What another component has read is shown until then. */
export const useNames = (group: string, ids: readonly string[]): NameOf => {
  const known = useObservable(names);
  const requested = useRef(new Set<string>());
  useEffect(() => {
    const missing = mayList(group) ? ids.filter((id) => id !== '' && !requested.current.has(keyOf(group, id))) : [];
    for (const id of missing) requested.current.add(keyOf(group, id));
    if (missing.length > 0) void loadNames(group, missing);
  }, [group, ids.join('\n')]);
  return (id) => known.get(keyOf(group, id));
};

/** Found for a text; `data` is undefined while the answer is not there. */
export interface Found<T> {
  readonly data: readonly T[] | undefined;
  readonly more: number;
}

/** The time after the last key at which a search begins, in milliseconds. */
const PAUSE = 150;
const MAX_FOUND = 8;

/** Reads after a pause, and again when the key changes; undefined while the answer to this key is not there. */
export const useLatest = <T>(key: string | undefined, read: (signal: AbortSignal) => Promise<T>): T | undefined => {
  const [state, setState] = useState<{ readonly key: string; readonly value: T }>();
  useEffect(() => {
    if (key === undefined) return undefined;
    const aborter = new AbortController();
    const search = async (): Promise<void> => {
      try {
        const value = await read(aborter.signal);
        if (!aborter.signal.aborted) setState({ key, value });
      } catch {
        // Nothing is offered: what is entered can still be typed.
      }
    };
    const timer = setTimeout(() => void search(), PAUSE);
    return () => {
      clearTimeout(timer);
      aborter.abort();
    };
  }, [key]);
  return state !== undefined && state.key === key ? state.value : undefined;
};

/** The first entities whose names contain a text; one that has this name is the first. Not read while `isWanted` is false. */
export const useFoundEntities = (group: string, text: string, isWanted = true): Found<Entity> => {
  const value = useLatest(isWanted && mayList(group) ? `${group} ${text}` : undefined, (signal) => findEntities(group, text, signal));
  return mayList(group) ? (value ?? NOTHING_YET) : NOTHING;
};

const NOTHING_YET = { data: undefined, more: 0 };
const NOTHING = { data: [], more: 0 };

const findEntities = async (group: string, text: string, signal: AbortSignal): Promise<Found<Entity>> => {
  const { list } = entityApi(group);
  const filtered = (limit: number, filter?: string) =>
    list({ limit, sort: 'name', ...(filter === undefined ? {} : { filter }) }, { signal });
  if (text === '') return foundIn(await filtered(MAX_FOUND));
  const [exact, { data, pagination }] = await Promise.all([
    filtered(1, filterText`name = ${text}`),
    filtered(MAX_FOUND, filterText`name icontains ${text}`),
  ]);
  const others = data.filter(({ id }) => id !== exact.data[0]?.id);
  return foundIn({ data: [...exact.data, ...others], pagination });
};

const foundIn = <T>({
  data,
  pagination,
}: {
  readonly data: readonly T[];
  readonly pagination: { readonly totalCount: number };
}): Found<T> => ({
  data,
  more: Math.max(0, pagination.totalCount - data.length),
});

interface AttributePage {
  readonly data: readonly string[];
  readonly pagination: { readonly totalCount: number };
}
type ListAttributes = (input: object, options: { readonly signal: AbortSignal }) => Promise<AttributePage>;

/** The first role attributes of the entities of a group that contain a text. */
export const useFoundAttributes = (group: string, text: string, isWanted = true): Found<string> => {
  const list = (client.roleAttributes as unknown as Readonly<Record<string, ListAttributes>>)[group]; // a verb for each group with role attributes
  const may = list !== undefined && (session.get()?.may('roleAttributes', group) ?? false);
  const value = useLatest(
    isWanted && may ? `${group} ${text}` : undefined,
    async (signal) => list?.({ limit: MAX_FOUND, ...(text ? { filter: filterText`id icontains ${text}` } : {}) }, { signal }) ?? NO_PAGE,
  );
  if (!may) return NOTHING;
  return value ? foundIn(value) : NOTHING_YET;
};

const NO_PAGE: AttributePage = { data: [], pagination: { totalCount: 0 } };

/** Longer filters do not fit into an address. */
const MAX_FILTER = 6000;

/** True if a request can have the filter. */
export const isCountable = (filter: string | undefined): boolean => filter !== undefined && filter.length <= MAX_FILTER;

/** The number of the entities of a group that a filter selects; undefined while it is unknown, and for a filter that is too long. */
export const useCount = (group: string, filter: string | undefined): number | undefined => {
  return useLatest(isCountable(filter) && mayList(group) ? `${group} ${filter}` : undefined, (signal) =>
    countOf(group, filter ?? '', signal),
  );
};
