/** An event as it was streamed. */
export type Event = Readonly<Record<string, unknown>>;

/** What events of one kind and type look like. */
export interface Shape {
  count: number;
  /** The names of the fields of an event in their order, of all events one after another. */
  readonly orders: Set<string>;
  /** The types of each field by its path, such as `path.nodes[]`. Those that say what an event is about have values instead. */
  readonly fields: Map<string, Set<string>>;
}

/** The shapes of events, by kind and type. */
export type Shapes = ReadonlyMap<string, Shape>;

/** Fields whose values mean the same in every network. */
const ENUMERATED =
  /^(?:namespace|version|event_?type|metric_type|metric|severity|alert_source_type|protocol|provider|session_type|precedence|src_type|dst_type|router_online|interval_length|metadata\.author\.type|metadata\.source\.(?:type|auth|method)|entityType|isParentEvent|error)$/i;

/** Objects whose names are ids. */
const BY_ID = /\.(?:serviceHostingCosts|serviceHostingPrecedences|serviceConfigs|peerData)$/;

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/;

/** The kind and type of an event: `circuit created`, `entityChange updated services`. */
const nameOf = (event: Event, controller: unknown): string => {
  const { namespace } = event;
  const parts: readonly unknown[] = {
    apiSession: [event.event_type, event.type],
    authentication: [event.event_type, event.type],
    connect: [event.src_type, event.dst_type],
    entityChange: [event.eventType, event.entityType],
    metrics: [event.metric_type, event.source_id === controller ? 'of the controller' : 'of a router'],
    session: [event.event_type, event.session_type, event.provider],
    usage: [`v${event.version}`, event.event_type],
  }[String(namespace)] ?? [event.event_type];
  return [namespace, ...parts].filter((part) => part !== undefined).join(' ');
};

export const shapesOf = (events: readonly Event[]): Shapes => {
  const shapes = new Map<string, Shape>();
  for (const event of events) {
    const name = nameOf(event, event.event_src_id);
    const shape = shapes.get(name) ?? { count: 0, orders: new Set(), fields: new Map() };
    shapes.set(name, shape);
    shape.count++;
    shape.orders.add(Object.keys(event).join(' '));
    for (const [field, value] of Object.entries(event)) note(shape.fields, field, value);
  }
  return shapes;
};

const note = (fields: Shape['fields'], path: string, value: unknown): void => {
  const types = fields.get(path) ?? new Set();
  fields.set(path, types.add(typeOf(path, value)));
  if (Array.isArray(value)) for (const element of value) note(fields, `${path}[]`, element);
  else if (typeof value === 'object' && value !== null)
    for (const [name, of] of Object.entries(value)) note(fields, `${path}.${BY_ID.test(path) ? '*' : name}`, of);
};

const typeOf = (path: string, value: unknown): string => {
  if (value === null) return 'null';
  if (ENUMERATED.test(path)) return JSON.stringify(value);
  if (Array.isArray(value)) return 'list';
  if (value === '') return 'empty text';
  if (typeof value === 'string') return TIME.test(value) ? 'time' : 'text';
  return typeof value;
};

/** A difference between the events of a kind and type of both controllers. */
export interface Difference {
  /** Kind and type. */
  readonly of: string;
  /** The path of a field; empty if all events of the type are meant; `order` for the order of the fields. */
  readonly field: string;
  /** The types in the events of each controller; none if it does not have it. */
  readonly reference: string;
  readonly ours: string;
}

/** All differences, in the order of kinds, types and fields. */
export const differencesOf = (reference: Shapes, ours: Shapes): readonly Difference[] => {
  const differences: Difference[] = [];
  for (const of of namesIn(reference, ours)) {
    const [one, other] = [reference.get(of), ours.get(of)];
    if (!one || !other) {
      differences.push({ of, field: '', reference: one ? 'events' : '', ours: other ? 'events' : '' });
      continue;
    }
    for (const field of namesIn(one.fields, other.fields)) {
      // Only the outermost of objects that one of them lacks.
      const parent = /^(.*)(?:\.[^.]*|\[\])$/.exec(field)?.[1];
      if (parent !== undefined && isMissing(one, other, parent)) continue;
      const types = [one, other].map(({ fields }) => [...(fields.get(field) ?? [])].sort().join(', '));
      const [a = '', b = ''] = types;
      if (a !== b) differences.push({ of, field, reference: a, ours: b });
    }
    const order = orderThatDiffers(one, other);
    if (order) differences.push({ of, field: 'order', ...order });
  }
  return differences;
};

export const namesIn = (one: ReadonlyMap<string, unknown>, other: ReadonlyMap<string, unknown>): readonly string[] =>
  [...new Set([...one.keys(), ...other.keys()])].sort();

const isMissing = (one: Shape, other: Shape, field: string): boolean => {
  for (let at: string | undefined = field; at !== undefined; at = /^(.*)(?:\.[^.]*|\[\])$/.exec(at)?.[1])
    if (one.fields.has(at) !== other.fields.has(at)) return true;
  return false;
};

/** The first order of fields that both have which is none of the reference. */
const orderThatDiffers = (one: Shape, other: Shape): Pick<Difference, 'reference' | 'ours'> | undefined => {
  const common = (order: string, of: Shape): string =>
    order
      .split(' ')
      .filter((field) => of.fields.has(field))
      .join(' ');
  const known = new Set([...one.orders].map((order) => common(order, other)));
  const strange = [...other.orders].map((order) => common(order, one)).find((order) => ![...known].some((of) => isWithin(order, of)));
  return strange === undefined ? undefined : { reference: [...known].join(' / '), ours: strange };
};

/** True if all words of one stand in the other in the same order. */
const isWithin = (order: string, of: string): boolean => {
  const words = order.split(' ');
  const rest = of.split(' ').filter((word) => words.includes(word));
  return rest.join(' ') === order;
};
