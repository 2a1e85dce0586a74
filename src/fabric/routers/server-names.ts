import type { Core } from '../../call/core.ts';
import { controller, router } from '../../contract/api/kinds.ts';
import { ApiError } from '../../contract/errors/index.ts';
import type { CertificateRequest } from '../../crypto/pki/request.ts';
import {
  canonicalHost,
  conflictKeysOf,
  createNameRule,
  indexKeysOf,
  isLocalHost,
  matchesHost,
  type ServerNames,
} from '../../crypto/pki/server-names.ts';
import { ALL, and, equals, not, oneOf, or, type Predicate, stringField } from '../../query/index.ts';
import type { Entities } from '../../store/entities/entities.ts';

/** The names that are granted to a router. */
export interface RouterNames {
  /** For its server certificate. */
  readonly server: ServerNames;
  /** True if its server certificate may keep the requested common name. */
  readonly keepsCommonName: boolean;
  /** All its names in canonical form, which other routers cannot have from now on. */
  readonly claimed: readonly string[];
}

type Requests = Readonly<Record<'own' | 'server', Pick<CertificateRequest, 'dnsNames' | 'ipAddresses'>>> & {
  readonly commonNames: readonly string[];
};
type Router = { readonly id: string; readonly name: string };

/** The requested names and addresses of a router that the host allows and that belong neither to a controller nor to another router. */
export const routerNames = async (
  entities: Entities,
  core: Core,
  forRouter: Router,
  { own, server, commonNames }: Requests,
): Promise<RouterNames> => {
  const allowed = createNameRule(core.settings.routerNames)(server, forRouter.name);
  const requested = canonical([...allowed.dnsNames, ...allowed.ipAddresses, ...own.dnsNames, ...own.ipAddresses, ...commonNames]);
  const controllers = await controllerHosts(entities, core);
  const ofControllers = requested.filter((host) => controllers.some((controllerHost) => matchesHost(host, controllerHost)));
  const taken = new Set([...ofControllers, ...(await takenBy(entities, core, forRouter, requested))]);
  const isFree = (name: string) => {
    const host = name.endsWith('.') ? undefined : canonicalHost(name);
    return host !== undefined && !taken.has(host);
  };
  // Addresses in the form that was checked: an IPv4-mapped IPv6 address becomes an IPv4 address.
  const addresses = allowed.ipAddresses.filter(isFree).map((address) => canonicalHost(address) ?? address);
  const granted = { dnsNames: allowed.dnsNames.filter(isFree), ipAddresses: [...new Set(addresses)] };
  const allowedAsNames = createNameRule(core.settings.routerNames)({ dnsNames: commonNames, ipAddresses: commonNames }, forRouter.name);
  const allowedCommonNames = [...allowedAsNames.dnsNames, ...allowedAsNames.ipAddresses];
  return {
    server: granted,
    keepsCommonName: commonNames.every(
      (name) => name === forRouter.id || canonicalHost(name) === undefined || (allowedCommonNames.includes(name) && isFree(name)),
    ),
    claimed: canonical([...granted.dnsNames, ...granted.ipAddresses, ...own.dnsNames, ...own.ipAddresses]).filter(
      (host) => !taken.has(host),
    ),
  };
};

/**
 * The names of a router, for its row.
 * @throws ApiError `CONFLICT` if another router has claimed one of them in the meantime
 */
export const claim = async (entities: Entities, core: Core, forRouter: Router, { claimed }: RouterNames) => {
  if ((await takenBy(entities, core, forRouter, claimed)).size > 0)
    throw new ApiError('CONFLICT', {
      cause: { code: 'CONFLICT', message: 'another router was given one of these names at the same time: send the requests again' },
    });
  return { serverNames: [...new Set(claimed.flatMap(indexKeysOf))].sort() };
};

const canonical = (hosts: readonly string[]): readonly string[] =>
  [...new Set(hosts.map(canonicalHost).filter((host) => host !== undefined && !isLocalHost(host)))] as readonly string[]; // undefined ones are filtered out

/** The hosts that belong to another router and not to this one: by its certificates, by its name, or by its reported listeners. */
const takenBy = async (entities: Entities, core: Core, { id }: Router, hosts: readonly string[]): Promise<ReadonlySet<string>> => {
  const own = await entities.get(router, id);
  const advertised = new Set(canonical(core.presence.hostsBeside(id)).flatMap(indexKeysOf));
  // A router keeps the names in its certificates, even if another router reports them, or if an adopted one has them, too.
  const owned = new Set(own?.serverNames);
  const isAdvertised = (host: string) => !owned.has(host) && conflictKeysOf(host).some((key) => advertised.has(key));
  const taken = new Set(hosts.filter(isAdvertised));
  const unadvertised = hosts.filter((host) => !taken.has(host));
  const hasOwner = async (candidates: readonly string[]): Promise<boolean> =>
    (await entities.count(router, and(not(equals(stringField('id'), id)), hasAnyName(candidates, owned)))) > 0;
  // Usually none is taken, and one query suffices for all.
  if (unadvertised.length > 0 && (await hasOwner(unadvertised)))
    for (const host of unadvertised) if (await hasOwner([host])) taken.add(host);
  return taken;
};

const hasAnyName = (hosts: readonly string[], owned: ReadonlySet<string>): Predicate =>
  or(
    { op: 'overlaps', set: 'serverNames', values: hosts.filter((host) => !owned.has(host)).flatMap(conflictKeysOf) },
    oneOf(stringField('name'), hosts),
  );

/** The addresses under which clients and routers reach the controllers of the network. */
const controllerHosts = async (entities: Entities, { settings, pki }: Core): Promise<readonly string[]> => {
  const { certificate } = await pki.networkKey();
  const certificates = [certificate, ...(await pki.alternatives())];
  const members = await entities.list(controller, { where: ALL });
  const addresses = members.flatMap(({ ctrlAddress, apiAddresses }) => [
    ...(ctrlAddress ? [/^[a-z]+:(?:\/\/)?(.*):\d+$/.exec(ctrlAddress)?.[1] ?? ctrlAddress] : []),
    ...Object.values(apiAddresses ?? {}).flatMap((list) => list.map(({ url }) => URL.parse(url)?.hostname ?? '')),
  ]);
  const hosts = canonical([
    new URL(settings.address).hostname,
    ...certificates.flatMap(({ dnsNames, ipAddresses }) => [...dnsNames, ...ipAddresses]),
    ...addresses,
  ]);
  // A wildcard in the controller's certificate covers routers, too.
  return hosts.filter((host) => !host.startsWith('*'));
};
