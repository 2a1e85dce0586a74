/** The relations that policies define: identities and services, and the routers that each may use. */
import { edgeRouter, edgeRouterPolicy, identity, service, serviceEdgeRouterPolicy, servicePolicy } from '../../contract/api/kinds.ts';
import { type Kind, type PolicyPath, policyPath } from '../../contract/api/kit/index.ts';

/** The relation that a kind of policy defines: each entity that one side selects is related to each that the other side selects. */
export interface PolicyRelation extends PolicyPath {
  /** The kind that the role array `from` selects. */
  readonly left: Kind;
  /** The kind that the role array `to` selects. */
  readonly right: Kind;
}

const relation = (policies: Kind, left: Kind, right: Kind): PolicyRelation => ({ ...policyPath(policies, left, right), left, right });

/** The identities that may dial or bind services. */
export const accessRelation = relation(servicePolicy, identity, service);
/** The edge routers that identities may use. */
export const routersOfIdentities = relation(edgeRouterPolicy, identity, edgeRouter);
/** The edge routers through which services can be reached. */
export const routersOfServices = relation(serviceEdgeRouterPolicy, service, edgeRouter);
