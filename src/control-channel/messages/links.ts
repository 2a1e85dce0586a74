/** Routers among each other: links, and what they learn of their peers. */
import { field, message, valueType } from '../codec/index.ts';
import { fromRouters, tabled } from './message-type.ts';

/** Where other routers reach a router. */
export const linkListener = message({
  address: field.text(1),
  protocol: field.text(2),
  costTags: field.texts(3),
  groups: field.texts(4),
  localBinding: field.text(5),
});

/** In the hello of a router: all of them. */
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

/** Links that a router has dialed: all of them where it says so, or else those that are new. */
const routerLinks = fromRouters(
  { bytes: 8_388_608, elements: 262_144 },
  tabled(1035, 'RouterLinks', { links: field.list(1, link), fullRefresh: field.bool(2) }),
);

/** Of which connections a link consists. */
const linkState = fromRouters(
  { bytes: 262_144, elements: 2000 },
  tabled(1053, 'LinkStateUpdate', {
    linkId: field.text(1),
    linkIteration: field.uint32(2),
    connState: field.nested(3, connections),
  }),
);

/** Asks whether certificates are those of a router; answered with a `result`. */
const verifyRouter = fromRouters(
  { bytes: 32_768, elements: 200, cost: 0.5 },
  tabled(1036, 'VerifyRouter', { routerId: field.text(1), fingerprints: field.texts(2) }),
);

const peerState = valueType.enumeration(['healthy', 'unhealthy', 'removed']);

/** Tells a router of others: whether they are there, and where it reaches them. */
const peerStateChanges = tabled(1050, 'PeerStateChanges', {
  changes: field.list(
    1,
    message({ id: field.text(1), version: field.text(2), state: field.named(3, peerState), listeners: field.list(4, linkListener) }),
  ),
});

/** Links between routers, and what these learn of each other. */
export const linkMessages = { routerLinks, linkState, verifyRouter, peerStateChanges } as const;
