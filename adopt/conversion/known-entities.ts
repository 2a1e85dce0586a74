import { builtinConfigTypes } from '../../src/access/configs/builtin.ts';
import { authorityOf } from '../../src/identity/cas/trust.ts';
import type { FormerNetwork } from './former.ts';
import { isCheckType } from './kinds/policies.ts';
import { signerCertificate } from './kinds/trust.ts';
import type { Known, KnownAuthority, KnownRouter } from './known.ts';

/** Reads the entities that will be adopted and that others may refer to. References can then be checked in a single pass. */
export const knownEntities = async (former: FormerNetwork): Promise<Known> => {
  const configTypes = new Set([...former.ids('configTypes'), ...builtinConfigTypes.map(({ id }) => id)]);
  const cas = new Set<string>();
  const authorities: KnownAuthority[] = [];
  for (const { id, certPem, isVerified } of former.entities('cas')) {
    const authority = await authorityOf({ id, certPem });
    if (!authority) continue;
    cas.add(id);
    if (isVerified) authorities.push(authority);
  }
  return {
    authPolicies: new Set(['default', ...former.ids('authPolicies')]),
    externalJwtSigners: await knownSigners(former),
    configTypes,
    configs: mapOf(former.entities('configs'), ({ type }) => (configTypes.has(type) ? type : undefined)),
    identities: new Set(former.ids('identities')),
    postureChecks: setOf(former.entities('postureChecks'), ({ id, typeId }) => (isCheckType(typeId) ? id : undefined)),
    routers: mapOf(former.entities('routers'), ({ name, edge }): KnownRouter => ({ name, isEdgeRouter: edge !== null })),
    services: mapOf(former.entities('services'), ({ name, edge }) => (edge ? name : undefined)),
    fabricServices: setOf(former.entities('services'), ({ id, edge }) => (edge ? undefined : id)),
    cas,
    authorities,
  };
};

const knownSigners = async (former: FormerNetwork): Promise<ReadonlySet<string>> => {
  const known = new Set<string>();
  for (const { id, certPem } of former.entities('externalJwtSigners'))
    if ((await signerCertificate(certPem)) !== 'unreadable') known.add(id);
  return known;
};

const mapOf = <T extends { readonly id: string }, V>(
  entities: Iterable<T>,
  toValue: (entity: T) => V | undefined,
): ReadonlyMap<string, V> => {
  const values = new Map<string, V>();
  for (const entity of entities) {
    const value = toValue(entity);
    if (value !== undefined) values.set(entity.id, value);
  }
  return values;
};

const setOf = <T extends { readonly id: string }>(entities: Iterable<T>, idOf: (entity: T) => string | undefined): ReadonlySet<string> =>
  new Set(mapOf(entities, idOf).values());
