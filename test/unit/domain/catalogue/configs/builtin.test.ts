import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { builtinConfigTypes } from '../../../../../src/access/configs/builtin.ts';
import { accepts, fault } from './ask.ts';

const schemaOf = (name: string) => builtinConfigTypes.find((type) => type.name === name)?.schema;

/** Where a schema has a description, as paths: `properties/port`. */
const described = (schema: unknown, path = ''): readonly string[] => {
  if (schema === null || typeof schema !== 'object') return [];
  const here = 'description' in schema && typeof schema.description === 'string' ? [path] : [];
  return [...here, ...Object.entries(schema).flatMap(([key, value]) => described(value, path ? `${path}/${key}` : key))];
};

const HOST = [
  'protocol',
  'forwardProtocol',
  'allowedProtocols',
  'address',
  'forwardAddress',
  'allowedAddresses',
  'forwardAddressTranslations',
];
HOST.push('port', 'forwardPort', 'allowedPortRanges', 'allowedSourceAddresses', 'proxy');
const LISTEN = ['connectTimeoutSeconds', 'connectTimeout', 'maxConnections', 'identity', 'bindUsingEdgeIdentity', 'cost', 'precedence'];
const shared = ['listenAddress', 'proxyType', 'proxyConfiguration/properties/type', 'proxyConfiguration/properties/address'];
const hostIn = (place: string) => [...HOST, ...LISTEN.map((name) => `listenOptions/properties/${name}`)].map((name) => `${place}${name}`);

test('built-in schemas describe their properties where the schemas in the field do', () => {
  const definitions = shared.map((name) => `definitions/${name}`);
  const expected: Readonly<Record<string, readonly string[]>> = {
    'host.v1': [...definitions, ...hostIn('properties/')],
    'host.v2': [...definitions, ...hostIn('definitions/terminator/properties/')],
    'intercept.v1': [
      ...definitions,
      ...['allowedSourceAddresses', 'sourceIp', 'dialOptions/properties/connectTimeoutSeconds', 'dialOptions/properties/identity'].map(
        (name) => `properties/${name}`,
      ),
    ],
    'interfaces.v1': [],
    'l2.host.v1': [...definitions, ...LISTEN.map((name) => `properties/listenOptions/properties/${name}`), 'properties/bridgeIfs'],
    'l2.intercept.v1': [
      ...definitions,
      ...['connectTimeoutSeconds', 'identity'].map((name) => `properties/dialOptions/properties/${name}`),
      'properties/ethTypes',
    ],
    'proxy.v1': ['definitions/protocol', 'properties/port'],
    'router.link.v1': [],
    'ziti-tunneler-client.v1': [],
    'ziti-tunneler-server.v1': [],
  };
  for (const [name, paths] of Object.entries(expected)) assert.deepEqual(described(schemaOf(name)).toSorted(), paths.toSorted(), name);
});

const host = { protocol: 'tcp', address: 'db.internal', port: 5432 };
const good: Readonly<Record<string, readonly unknown[]>> = {
  'host.v1': [
    host,
    { ...host, address: '10.0.0.1', port: 0 },
    {
      forwardProtocol: true,
      allowedProtocols: ['tcp', 'udp'],
      forwardAddress: true,
      allowedAddresses: ['*.example', '10.0.0.0/8'],
      forwardPort: true,
      allowedPortRanges: [{ low: 1, high: 65535 }],
    },
    {
      ...host,
      listenOptions: {
        connectTimeout: '10s',
        connectTimeoutSeconds: 10,
        cost: 5,
        precedence: 'required',
        maxConnections: 3,
        bindUsingEdgeIdentity: true,
      },
    },
    {
      ...host,
      portChecks: [
        {
          interval: '5s',
          timeout: '100ms',
          address: 'db.internal:5432',
          actions: [{ trigger: 'fail', consecutiveEvents: 3, duration: '1m', action: 'mark unhealthy' }],
        },
      ],
    },
    { ...host, httpChecks: [{ interval: '5s', timeout: '1s', url: 'http://db.internal/', method: 'GET', expectStatus: 200 }] },
    { ...host, forwardAddressTranslations: [{ from: '10.0.0.0', to: '192.168.0.0', prefixLength: 16 }] },
    { ...host, proxy: { type: 'http', address: 'proxy.internal:3128' } },
  ],
  'host.v2': [{ terminators: [host, { ...host, port: 5433 }] }],
  'intercept.v1': [
    { protocols: ['tcp', 'udp'], addresses: ['a.example', '10.0.0.0/8', '*.wild.example'], portRanges: [{ low: 80, high: 443 }] },
    {
      protocols: ['tcp'],
      addresses: ['a'],
      portRanges: [{ low: 0, high: 0 }],
      dialOptions: { identity: '$dst_hostname', connectTimeoutSeconds: 5 },
      sourceIp: '$tunneler_id.name:$src_ip',
    },
  ],
  'interfaces.v1': [{ interfaces: ['eth0'] }, { interfaces: [] }],
  'l2.host.v1': [{}, { bridgeIfs: ['eth0'], listenOptions: { cost: 5, connectTimeout: '10s' } }],
  'l2.intercept.v1': [
    { ethTypes: ['0x0800', '0X86dd'] },
    { ethTypes: ['0x0806'], dialOptions: { identity: 'a', connectTimeoutSeconds: 5 } },
  ],
  'proxy.v1': [{ port: 8080, protocols: ['tcp'], binding: '0.0.0.0' }],
  'router.link.v1': [
    {},
    {
      listeners: [{ bind: 'tls:0.0.0.0:6001', advertise: 'tls:r.example:6001', groups: 'eu', options: { connectTimeout: '1m30s' } }],
      dialers: [{ groups: ['eu', 'us'], maxDefaultConnections: 3, startupDelay: '500ms', healthyDialBackoff: { retryBackoffFactor: 1.5 } }],
      heartbeats: { sendInterval: '10s', checkInterval: '1s', closeUnresponsiveTimeout: '1.5m' },
      payloadSenderQueueSize: 64,
      ackSenderQueueSize: 64,
      gcMode: 'orphaned',
    },
  ],
  'ziti-tunneler-client.v1': [{ hostname: 'a.example', port: 80 }],
  'ziti-tunneler-server.v1': [{ protocol: 'tcp', hostname: 'a.example', port: 80 }],
};

describe('good data of every built-in type is accepted', () => {
  for (const [name, all] of Object.entries(good))
    test(name, () =>
      assert.deepEqual(
        all.filter((data) => !accepts(schemaOf(name), data)),
        [],
      ),
    );
});

test('bad intercept configs are refused, each for its fault', () => {
  const ok = { protocols: ['tcp'], addresses: ['a.example'], portRanges: [{ low: 80, high: 443 }] };
  const { protocols: _, ...without } = ok;
  const faults: readonly (readonly [data: unknown, field: string, reason: RegExp])[] = [
    [without, '(root)', /^required: property 'protocols' is missing$/],
    [{ ...ok, protocols: [] }, 'protocols', /^minItems: /],
    [{ ...ok, protocols: ['icmp'] }, 'protocols.0', /^enum: expected one of "tcp", "udp"$/],
    [{ ...ok, protocols: ['tcp', 'tcp'] }, 'protocols', /^uniqueItems: items 0 and 1 are equal$/],
    [{ ...ok, addresses: [] }, 'addresses', /^minItems: /],
    [{ ...ok, addresses: [''] }, 'addresses.0', /^not: /],
    [{ ...ok, addresses: ['a', 1] }, 'addresses.1', /^type: expected string, got number$/],
    [{ ...ok, portRanges: [{ low: 1, high: 65536 }] }, 'portRanges.0.high', /^maximum: /],
    [{ ...ok, portRanges: [{ low: 1 }] }, 'portRanges.0', /^required: property 'high' is missing$/],
    [{ ...ok, extra: true }, '(root)', /^additionalProperties: unknown property 'extra'$/],
    [{ ...ok, dialOption: {} }, '(root)', /did you mean 'dialOptions'\?/],
  ];
  for (const [data, field, reason] of faults) {
    const [place, why] = fault(schemaOf('intercept.v1'), data);
    assert.equal(place, field);
    assert.match(why, reason);
  }
});

test('bad configs of the link layer are refused, each for its fault', () => {
  const faults: readonly (readonly [type: string, data: unknown, field: string, reason: RegExp])[] = [
    ['l2.host.v1', { bridgeIfs: [] }, 'bridgeIfs', /^minItems: /],
    ['l2.host.v1', { bridgeIfs: ['a', 'a'] }, 'bridgeIfs', /^uniqueItems: /],
    ['l2.host.v1', { port: 80 }, '(root)', /^additionalProperties: unknown property 'port'$/],
    ['l2.intercept.v1', {}, '(root)', /^required: property 'ethTypes' is missing$/],
    ['l2.intercept.v1', { ethTypes: ['0x800'] }, 'ethTypes.0', /^pattern: /],
  ];
  for (const [type, data, field, reason] of faults) {
    const [place, why] = fault(schemaOf(type), data);
    assert.equal(place, field);
    assert.match(why, reason);
  }
});

test('bad configs of the links of routers are refused, each for its fault', () => {
  const faults: readonly (readonly [data: unknown, field: string, reason: RegExp])[] = [
    [{ listeners: [{}] }, 'listeners.0', /^required: property 'bind' is missing$/],
    [{ dialers: [{ startupDelay: '5' }] }, 'dialers.0.startupDelay', /^pattern: /],
    [{ dialers: [{ maxDefaultConnections: 0 }] }, 'dialers.0.maxDefaultConnections', /^minimum: /],
    [{ dialers: [{ groups: [1] }] }, 'dialers.0.groups', /^oneOf: /],
    [{ gcMode: 'never' }, 'gcMode', /^enum: /],
    [{ heartbeat: {} }, '(root)', /did you mean 'heartbeats'\?/],
  ];
  for (const [data, field, reason] of faults) {
    const [place, why] = fault(schemaOf('router.link.v1'), data);
    assert.equal(place, field);
    assert.match(why, reason);
  }
});

test('bad host configs are refused, each for its fault', () => {
  const check = { interval: '5s', timeout: '1s', address: 'a' };
  const faults: readonly (readonly [data: unknown, field: string, reason: RegExp])[] = [
    [
      {},
      '(root)',
      /^required: property 'protocol' is missing; required: property 'address' is missing; required: property 'port' is missing$/,
    ],
    [{ ...host, protcol: 'tcp' }, '(root)', /^additionalProperties: unknown property 'protcol' \(did you mean 'protocol'\?\)$/],
    [{ address: 'a', port: 1, forwardProtocol: true }, '(root)', /^required: property 'allowedProtocols' is missing$/],
    [{ ...host, forwardPort: false }, 'forwardPort', /^enum: expected true$/],
    [
      { ...host, portChecks: [{ ...check, actions: [{ trigger: 'fail', action: 'explode' }] }] },
      'portChecks.0.actions.0.action',
      /^pattern: /,
    ],
    [{ ...host, portChecks: [{ ...check, interval: '5' }] }, 'portChecks.0.interval', /^pattern: /],
    [{ ...host, forwardAddressTranslations: [{ from: 'x' }] }, 'forwardAddressTranslations.0', /^oneOf: .*format/],
    [{ ...host, listenOptions: { precedence: 'first' } }, 'listenOptions.precedence', /^enum: /],
  ];
  for (const [data, field, reason] of faults) {
    const [place, why] = fault(schemaOf('host.v1'), data);
    assert.equal(place, field, why);
    assert.match(why, reason);
  }
});
