/** The operations that publish a service, for one batch: configs, the service, and the policies that let people host and use it. */
import { ApiError, type BatchedOperation } from '../../../client/index.ts';
import { FieldInvalid } from '../entered.ts';
import { kindOf } from '../kinds.ts';
import { literal, unescaped } from '../literal.ts';
import { texts } from '../texts.ts';

const t = texts.setup.publish;

/** The entries, as `bodyIn` returns them. */
export interface ServiceEntries {
  readonly name: string;
  readonly addresses: readonly string[];
  readonly ports: readonly string[];
  readonly protocols: string;
  readonly hostAddress: string;
  /** Missing if clients choose the port. */
  readonly hostPort?: number;
  readonly hostedBy: readonly string[];
  readonly usedBy: readonly string[];
  readonly edgeRouters?: readonly string[];
}

/** The ids of the config types. */
export interface ConfigTypes {
  readonly intercept: string;
  readonly host: string;
}

/** An operation that creates an entity. */
export interface Creation extends BatchedOperation {
  readonly input: { readonly body: Readonly<Record<string, unknown>> };
}

/** The router policies that the setup creates. */
export interface MissingPolicies {
  readonly ofIdentities: boolean;
  readonly ofService: boolean;
}

/** The position of the service among the operations: later ones refer to it. */
export const SERVICE_AT = 2;

/** @throws FieldInvalid for invalid ports */
export const serviceOperations = (entries: ServiceEntries, types: ConfigTypes, missing: MissingPolicies): readonly Creation[] => {
  const { name, hostedBy, usedBy, edgeRouters = [] } = entries;
  const created = (group: string, body: Readonly<Record<string, unknown>>): Creation => ({
    operation: `${group}.create`,
    input: { body },
  });
  const policy = { semantic: 'AnyOf' };
  const routers = { ...policy, edgeRouterRoles: literal(edgeRouters) };
  const serviceRoles = [`@$${SERVICE_AT + 1}.id`]; // references count from 1
  return [
    created('configs', { name: literal(t.intercept(name)), configTypeId: types.intercept, data: literal(interceptOf(entries)) }),
    created('configs', { name: literal(t.host(name)), configTypeId: types.host, data: literal(hostOf(entries)) }),
    created('services', { name: literal(name), encryptionRequired: true, configs: ['$1.id', '$2.id'] }),
    created('servicePolicies', { ...policy, name: literal(t.bind(name)), type: 'Bind', identityRoles: literal(hostedBy), serviceRoles }),
    created('servicePolicies', { ...policy, name: literal(t.dial(name)), type: 'Dial', identityRoles: literal(usedBy), serviceRoles }),
    ...(missing.ofIdentities
      ? [created('edgeRouterPolicies', { ...routers, name: literal(t.routers(name)), identityRoles: literal(union(hostedBy, usedBy)) })]
      : []),
    ...(missing.ofService ? [created('serviceEdgeRouterPolicies', { ...routers, name: literal(t.routers(name)), serviceRoles })] : []),
  ];
};

/** The selectors of either list. `#all` stands alone. */
export const union = (one: readonly string[], other: readonly string[]): readonly string[] => {
  const both = [...new Set([...one, ...other])];
  return both.includes('#all') ? ['#all'] : both;
};

const protocolsOf = (protocols: string): readonly string[] => ['tcp', 'udp'].filter((each) => protocols.toLowerCase().includes(each));

const interceptOf = ({ addresses, ports, protocols }: ServiceEntries) => ({
  protocols: protocolsOf(protocols),
  addresses,
  portRanges: ports.map(rangeOf),
});

const hostOf = ({ ports, protocols, hostAddress, hostPort }: ServiceEntries) => {
  const [protocol, ...others] = protocolsOf(protocols);
  return {
    address: hostAddress,
    ...(others.length > 0 ? { forwardProtocol: true, allowedProtocols: protocolsOf(protocols) } : { protocol }),
    ...(hostPort === undefined ? { forwardPort: true, allowedPortRanges: ports.map(rangeOf) } : { port: hostPort }),
  };
};

export const MAX_PORT = 65_535;

/** The ports of a line: `443` or `8000-8100`. @throws FieldInvalid */
export const rangeOf = (line: string): { readonly low: number; readonly high: number } => {
  const [, from, to = from] = /^(\d{1,5})(?:\s*-\s*(\d{1,5}))?$/.exec(line) ?? [];
  const [low, high] = [Number(from), Number(to)];
  if (!(low >= 1 && high >= low && high <= MAX_PORT)) throw new FieldInvalid('ports', t.noPorts(line));
  return { low, high };
};

/** The fields of the setup from which parts of an operation come, by its number. */
const FIELDS: Readonly<Record<number, Readonly<Record<string, string>>>> = {
  1: { addresses: 'addresses', portRanges: 'ports', protocols: 'protocols' },
  2: { address: 'hostAddress', port: 'hostPort', allowedPortRanges: 'ports' },
  4: { identityRoles: 'hostedBy' },
  5: { identityRoles: 'usedBy' },
  6: { edgeRouterRoles: 'edgeRouters' },
  7: { edgeRouterRoles: 'edgeRouters' },
};

const PREFIX = /^operation (\d+) \((\w+)\.create\): /;

/** The error of a batch, as one of the field of the setup that caused it; the error itself if it is about none. */
export const inSetup = (error: unknown, operations: readonly Creation[]): unknown => {
  if (!(error instanceof ApiError)) return error;
  const { field = '', reason, message } = Object(error.cause) as Readonly<Record<string, unknown>>; // missing members are undefined
  const [prefix, number, group = ''] = PREFIX.exec(String(reason ?? message)) ?? [];
  const body = operations[Number(number) - 1]?.input.body;
  if (prefix === undefined || !body) return error;
  const text = String(reason ?? message).slice(prefix.length);
  if (field === 'name')
    return new FieldInvalid('name', t.notCreated(kindOf(group)?.singular ?? group, unescaped(String(body['name'])), text));
  const [, root = ''] = /^(?:data\.)?(\w+)/.exec(String(field)) ?? [];
  const name = FIELDS[Number(number)]?.[root];
  return name === undefined ? error : new FieldInvalid(name, text);
};
