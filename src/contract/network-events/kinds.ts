import * as z from 'zod';
import { declare, type NetworkEventDeclaration } from './declaration.ts';

const text = z.string();
const number = z.number();
const flag = z.boolean();
const texts = z.array(text).readonly();
const textByName = z.record(text, text).readonly();
const numberByName = z.record(text, number).readonly();
const state = z.record(text, z.unknown()).readonly().nullable();

/** The fields with which events begin: the name of the kind, the id of the controller, and the time in RFC 3339. */
const head = { namespace: text, event_src_id: text, timestamp: text };

const path = z.object({ nodes: texts.nullable(), links: texts.nullable(), ingress_id: text, egress_id: text }).readonly();

const linkConnection = z.object({ id: text, local_addr: text, remote_addr: text }).readonly();

const metadata = z
  .object({
    author: z.object({ type: z.enum(['identity', 'controller', 'unattributed']), id: text, name: text }).readonly(),
    version: text,
    trace_id: text,
  })
  .readonly();

const usageHead = { source_id: text, circuit_id: text };
const interval = { interval_start_utc: number, interval_length: number };
const usageEnd = { ...interval, tags: textByName.nullable() };

const traced = { identity: text, channel: text, is_rx: flag, content_type: number, sequence: number, reply_for: number, length: number };

/**
 * The kinds of events of the network, by the name that frames of the management channel give them. Durations are in nanoseconds. Optional
 * fields may be absent.
 */
export const networkEventKinds = {
  /** A router reports an error for its operator. */
  alert: declare({
    ...head,
    alert_source_type: text,
    alert_source_id: text,
    severity: text,
    message: text,
    details: texts,
    related_entities: textByName,
  }),
  /** An API session begins or ends. Its token is always empty. */
  apiSession: declare(
    {
      ...head,
      event_type: z.enum(['created', 'deleted']),
      id: text,
      type: z.enum(['legacy', 'jwt']),
      token: text,
      identity_id: text,
      ip_address: text,
    },
    {
      earlierName: 'edge.apiSessions',
      include: { types: ['created', 'deleted'], refusal: "for apiSession. valid values are ['created', 'deleted']" },
      isPersonal: true,
    },
  ),
  /** An attempt to authenticate. */
  authentication: declare(
    {
      ...head,
      event_type: z.enum(['success', 'fail']),
      type: text,
      authenticator_id: text,
      external_jwt_signer_id: text,
      identity_id: text,
      auth_policy_id: text,
      remote_address: text,
      success: flag,
      reason: text,
      improper_client_cert_chain: flag,
    },
    {
      earlierName: 'edge.authentications',
      namespaceOfEarlier: 'authentication',
      include: { types: ['success', 'fail'], refusal: "for authentication. valid values are ['success', 'fail']" },
      isPersonal: true,
    },
  ),
  /** A circuit is set up, moves to another path, or ends; or one could not be set up. */
  circuit: declare(
    {
      ...head,
      version: z.literal(2),
      event_type: z.enum(['created', 'pathUpdated', 'deleted', 'failed']),
      circuit_id: text,
      client_id: text,
      service_id: text,
      terminator_id: text,
      instance_id: text,
      creation_timespan: number.optional(),
      path,
      link_count: number,
      path_cost: number.optional(),
      failure_cause: text.optional(),
      duration: number.optional(),
      tags: textByName.nullable(),
    },
    {
      earlierName: 'fabric.circuits',
      include: {
        types: ['created', 'pathUpdated', 'deleted', 'failed'],
        refusal: 'for fabric.circuits. valid values are [created pathUpdated deleted failed]',
      },
    },
  ),
  /** Events of a consensus between controllers. Controllers share a store instead, so there are none. */
  cluster: declare({ ...head, eventType: text }),
  /** A router connects to this controller, or an identity to a router. */
  connect: declare({
    ...head,
    src_type: z.enum(['identity', 'router']),
    dst_type: z.enum(['ctrl', 'router']),
    src_id: text,
    src_addr: text,
    dst_id: text,
    dst_addr: text,
  }),
  /** An entity is created, updated or deleted. After each of these events, one of the type `committed` has the same id. */
  'entity.change': declare(
    {
      ...head,
      eventId: text,
      eventType: z.enum(['created', 'updated', 'deleted', 'committed']),
      metadata: metadata.optional(),
      entityType: text.optional(),
      isParentEvent: flag.optional(),
      initialState: state.optional(),
      finalState: state.optional(),
    },
    { namespace: 'entityChange', subscribedAs: 'entityChange', isPersonal: true },
  ),
  /** The numbers of entities, at an interval that the subscriber chooses. */
  entityCount: declare({ ...head, counts: numberByName, error: text.optional() }, { earlierName: 'edge.entityCounts' }),
  /** A link between two routers is reported, changes, or is lost. */
  link: declare(
    {
      ...head,
      event_type: z.enum(['routerLinkNew', 'routerLinkKnown', 'routerLinkDisconnectedDest', 'fault', 'duplicate', 'connectionsChanged']),
      link_id: text,
      src_router_id: text.optional(),
      dst_router_id: text.optional(),
      protocol: text.optional(),
      dial_address: text.optional(),
      cost: number.optional(),
      connections: z.array(linkConnection).readonly().optional(),
    },
    { earlierName: 'fabric.links' },
  ),
  /** A metric that a router reports. */
  metrics: declare({
    ...head,
    metric_type: z.enum(['intValue', 'floatValue', 'meter', 'histogram', 'timer']),
    source_id: text,
    source_entity_id: text.optional(),
    version: z.literal(3),
    metric: text,
    metrics: numberByName,
    tags: textByName.optional(),
    source_event_id: text,
  }),
  /** The usage of an identity or a service exceeds a quota of the host, for the first time in its period. */
  quota: declare(
    {
      ...head,
      event_type: z.enum(['exceeded']),
      quota: text,
      period: z.enum(['day', 'month']),
      period_start: text,
      identity_id: text.optional(),
      service_id: text.optional(),
      usage: number,
      limit: number,
    },
    { isPersonal: true },
  ),
  /** A router connects to this controller, or is disconnected. */
  router: declare(
    {
      namespace: text,
      timestamp: text,
      event_src_id: text,
      event_type: z.enum(['router-online', 'router-offline']),
      router_id: text,
      router_online: flag,
    },
    { earlierName: 'fabric.routers' },
  ),
  /** The state of an identity over all routers of this controller changes. */
  sdk: declare({ ...head, event_type: z.enum(['sdk-online', 'sdk-offline', 'sdk-status-unknown']), identity_id: text }),
  /** The number of dials of a service with the same outcome within a minute. */
  service: declare(
    { ...head, version: z.literal(2), event_type: text, terminator_id: text, service_id: text, count: number, ...interval },
    { earlierName: 'services', namespaceOfEarlier: 'service.events' },
  ),
  /** A session begins or ends. Its token is always empty. */
  session: declare(
    {
      ...head,
      event_type: z.enum(['created', 'deleted']),
      session_type: z.enum(['Dial', 'Bind']),
      provider: z.enum(['legacy', 'jwt']),
      id: text,
      token: text,
      api_session_id: text,
      identity_id: text,
      service_id: text,
    },
    {
      earlierName: 'edge.sessions',
      include: { types: ['created', 'deleted'], refusal: "for session. valid values are ['created', 'deleted']" },
      isPersonal: true,
    },
  ),
  /** A terminator is created, updated or deleted, or its router connects or is disconnected. */
  terminator: declare(
    {
      ...head,
      event_type: z.enum(['created', 'updated', 'deleted', 'router-online', 'router-offline']),
      service_id: text,
      terminator_id: text,
      router_id: text,
      host_id: text,
      instance_id: text,
      router_online: flag,
      precedence: text,
      static_cost: number,
      dynamic_cost: number,
      total_terminators: number,
      usable_default_terminators: number,
      usable_required_terminators: number,
    },
    { earlierName: 'fabric.terminators' },
  ),
  /**
   * A router has sent or received a message on a channel that it traces. `identity` is that of the router or of its link; `decode` is what
   * the router reads in the message.
   */
  trace: declare(
    {
      ...head,
      source_id: text,
      ...traced,
      decode: z
        .record(text, z.union([text, number, flag]))
        .readonly()
        .optional(),
    },
    { isPersonal: true, isOnRequest: true },
  ),
  /** Bytes of a circuit that a router counted at one point since its last report. */
  usage: declare(
    { ...head, version: z.literal(2), event_type: text, ...usageHead, usage: number, ...usageEnd },
    { earlierName: 'fabric.usage' },
  ),
  /** Bytes of a circuit that a router counted at all points since its last report. */
  'usage.v3': declare(
    { ...head, version: z.literal(3), ...usageHead, usage: numberByName, ...usageEnd },
    { namespace: 'usage', subscribedAs: 'usage', earlierName: 'fabric.usage' },
  ),
} as const;

/** The name of a kind of network event. */
export type NetworkEventKind = keyof typeof networkEventKinds;

type FieldsOf<K extends NetworkEventKind> = z.infer<z.ZodObject<(typeof networkEventKinds)[K]['fields']>>;

type NetworkEventsByKind = { readonly [K in NetworkEventKind]: Readonly<FieldsOf<K>> };

/** An event of the network, by kind. Its fields are those of the reference controller, in the same order. */
export type NetworkEvent<K extends NetworkEventKind = NetworkEventKind> = NetworkEventsByKind[K];

type ToldEventsByKind = {
  readonly [K in NetworkEventKind]: Omit<NetworkEventsByKind[K], keyof typeof head> & { readonly timestamp?: string };
};

/** An event before the controller adds its id, the time, and the name of the kind. */
export type ToldEvent<K extends NetworkEventKind> = ToldEventsByKind[K];

/** The declaration of a kind. */
export const networkEventDeclaration = (kind: NetworkEventKind): NetworkEventDeclaration<z.ZodRawShape> => networkEventKinds[kind];

/** True for the name of a kind. */
export const isNetworkEventKind = (name: string): name is NetworkEventKind => Object.hasOwn(networkEventKinds, name);

/** The names of all kinds. */
export const allNetworkEventKinds: readonly NetworkEventKind[] = Object.keys(networkEventKinds).filter(isNetworkEventKind);
