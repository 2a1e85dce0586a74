import { field, message, valueType } from '../codec/index.ts';
import { fromRouters, tableMessage } from './message-type.ts';

/** An address at which a router accepts links. */
const linkListener = message({
  address: field.text(1),
  protocol: field.text(2),
  costTags: field.texts(3),
  groups: field.texts(4),
  localBinding: field.text(5),
});

/** All listeners of a router, in its hello. */
export const linkListeners = message({ listeners: field.list(1, linkListener) });

const connections = message({
  stateIteration: field.uint32(1),
  conns: field.list(2, message({ type: field.text(1), localAddr: field.text(2), remoteAddr: field.text(3) })),
});

const link = message({
  id: field.text(1),
  destRouterId: field.text(2),
  linkProtocol: field.text(3),
  linkCostTags: field.texts(4),
  dialAddress: field.text(5),
  iteration: field.uint32(6),
  connState: field.nested(7, connections),
});

/** Links that a router has dialed: all in a full refresh, otherwise only new ones. */
const routerLinks = fromRouters(
  { bytes: 8_388_608, elements: 262_144 },
  tableMessage(1035, 'RouterLinks', { links: field.list(1, link), fullRefresh: field.bool(2) }),
);

/** The connections of a link. */
const linkState = fromRouters(
  { bytes: 262_144, elements: 2000 },
  tableMessage(1053, 'LinkStateUpdate', {
    linkId: field.text(1),
    linkIteration: field.uint32(2),
    connState: field.nested(3, connections),
  }),
);

/** Requests verification of another router's certificates; answered with a `result`. */
const verifyRouter = fromRouters(
  { bytes: 32_768, elements: 200, cost: 0.5 },
  tableMessage(1036, 'VerifyRouter', { routerId: field.text(1), fingerprints: field.texts(2) }),
);

const peerState = valueType.enumeration(['healthy', 'unhealthy', 'removed']);

/** Announces other routers to a router: their state, and their addresses. */
const peerStateChanges = tableMessage(1050, 'PeerStateChanges', {
  changes: field.list(
    1,
    message({ id: field.text(1), version: field.text(2), state: field.named(3, peerState), listeners: field.list(4, linkListener) }),
  ),
});

/** Messages about links and peers. */
export const linkMessages = { routerLinks, linkState, verifyRouter, peerStateChanges } as const;
