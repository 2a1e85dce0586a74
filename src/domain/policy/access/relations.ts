/** The relations that policies make: who may reach what, and over which routers. */
import { edgeRouter, edgeRouterPolicy, identity, service, serviceEdgeRouterPolicy, servicePolicy } from '../../../api/kinds.ts';
import { type Kind, type PolicyPath, policyPath } from '../../../api/kit/index.ts';

/** Policies of a kind relate the entities of two kinds: they select some of each, and relate each of the one to each of the other. */
export interface PolicyRelation extends PolicyPath {
  /** The kind that the role array `from` selects. */
  readonly left: Kind;
  /** The kind that the role array `to` selects. */
  readonly right: Kind;
}

const relationBy = (policies: Kind, left: Kind, right: Kind): PolicyRelation => ({ ...policyPath(policies, left, right), left, right });

/** The identities that may dial or bind services. */
export const accessRelation = relationBy(servicePolicy, identity, service);
/** The edge routers that identities may use. */
export const routersOfIdentities = relationBy(edgeRouterPolicy, identity, edgeRouter);
/** The edge routers through which services can be reached. */
export const routersOfServices = relationBy(serviceEdgeRouterPolicy, service, edgeRouter);
