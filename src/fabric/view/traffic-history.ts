import type { Call } from '../../call/call.ts';
import { implement } from '../../call/implement.ts';
import { visibleIds } from '../../call/resources/granted.ts';
import { router } from '../../contract/api/kinds.ts';
import type { DecodedOf, OutputOf } from '../../contract/api/kit/index.ts';
import { traffic } from '../../contract/api/traffic.ts';
import { invalidField } from '../../contract/errors/index.ts';
import { createTimeSlice } from '../../runtime/concurrency/event-loop.ts';
import { isoTime } from '../../runtime/platform/clock.ts';
import { HISTORY_MINUTES, type HistoryOf, type HistorySpan } from '../../runtime/presence/traffic-history.ts';

type Operation = (typeof traffic)['operations']['history'];
type Points<M extends string> = { readonly id: string } & Readonly<Record<M, (number | null)[]>>;

/** Default number of points: in a day, each is a quarter of an hour. */
const DEFAULT_POINTS = 96;
/** Default span if all routers and links are read, with one point each: long enough to average several reports. */
const RECENT_MINUTES = 5;
/** Number of minutes that are averaged in one time slice. */
const MINUTES_AT_ONCE = 100_000;

const readHistory = async (call: Call, input: DecodedOf<Operation>): Promise<OutputOf<Operation>> => {
  const { platform, traffic: current } = call.core;
  const { id: named } = input;
  const span = spanOf(input, platform.clock.now());
  const history = current.history();
  const links = new Map(current.links().map((link) => [link.id, link]));
  const idsIn = (recorded: HistoryOf<string> | undefined) => (recorded?.ids() ?? []).filter((id) => named?.includes(id) ?? true);
  const [routerIds, linkIds] = [idsIn(history?.routers), idsIn(history?.links).filter((id) => links.has(id))];
  const endsOf = (linkId: string): readonly string[] => [links.get(linkId) ?? []].flat().flatMap(({ from, to }) => [from, to]);
  const ids = [...new Set([...routerIds, ...linkIds.flatMap(endsOf)])];
  const visible = await call.read((entities) => visibleIds(entities, router, ids, call));
  const shownRouters = routerIds.filter((id) => visible.has(id));
  const shownLinks = linkIds.filter((id) => endsOf(id).every((end) => visible.has(end)));
  return {
    end: isoTime(span.end),
    minutes: span.minutes,
    points: span.points,
    routers: await pointsOf(history?.routers, shownRouters, span),
    links: await pointsOf(history?.links, shownLinks, span),
  };
};

/** @throws ApiError `COULD_NOT_VALIDATE` */
const spanOf = ({ id, minutes: asked, points }: DecodedOf<Operation>, end: number): HistorySpan => {
  const minutes = asked ?? (id ? HISTORY_MINUTES : RECENT_MINUTES);
  if (minutes < 1 || minutes > HISTORY_MINUTES) throw invalidField('minutes', `must be from 1 to ${HISTORY_MINUTES}`, minutes);
  if (points !== undefined && (points < 1 || points > minutes)) throw invalidField('points', `must be from 1 to ${minutes}`, points);
  // All routers and links have one point each, so that the answer is small.
  if (!id && points !== undefined && points > 1) throw invalidField('points', 'must be 1 unless routers or links are named', points);
  return { end, minutes, points: id ? (points ?? Math.min(DEFAULT_POINTS, minutes)) : 1 };
};

/** The points of routers or links, without those that have been dropped since. */
const pointsOf = async <M extends string>(
  recorded: HistoryOf<M> | undefined,
  ids: readonly string[],
  span: HistorySpan,
): Promise<Points<M>[]> => {
  const yieldIfDue = createTimeSlice(MINUTES_AT_ONCE);
  const all: Points<M>[] = [];
  for (const id of ids) {
    const points = recorded?.read(id, span);
    if (points) all.push({ id, ...points });
    await yieldIfDue(span.minutes);
  }
  return all;
};

export const trafficEntries = implement(traffic, { history: readHistory });
