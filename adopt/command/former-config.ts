import { join } from 'node:path';
import { parse } from 'yaml';
import * as z from 'zod';
import { StartFailure } from '../../server/failure.ts';
import { readText } from '../../server/files.ts';
import type { KeyPair } from '../../src/index.ts';
import { commonNameIn, trustDomainIn } from './former-certificates.ts';
import { fileNamed, placeNamed, textNamed } from './former-files.ts';
import type { FormerSetup, Listener } from './former-setup.ts';

/** Maximum number of aliases that the file may resolve: without one, a short text could stand for any amount of data. */
const MAX_ALIASES = 100;

/** A configuration with a dozen keys and chains in it is smaller. The time that the parser takes can grow with the square of the size. */
const MAX_BYTES = 128 * 2 ** 10;

const text = z.coerce.string();
const optionalText = text.nullish();

const identity = z.looseObject({
  cert: optionalText,
  key: optionalText,
  server_cert: optionalText,
  server_key: optionalText,
  ca: optionalText,
  alt_server_certs: z.array(z.looseObject({ server_cert: optionalText, server_key: optionalText })).nullish(),
});
type Identity = z.infer<typeof identity>;

const duration = z.looseObject({ duration: optionalText }).nullish();

const signingCert = z.looseObject({ cert: text, key: text, ca: optionalText });

/** The part of the configuration that is read; everything else is ignored. */
const schema = z.looseObject({
  db: optionalText,
  cluster: z.looseObject({ dataDir: text }).nullish(),
  raft: z.looseObject({ dataDir: text }).nullish(),
  trustDomain: optionalText,
  identity: identity.nullish(),
  ctrl: z.looseObject({ listener: optionalText, options: z.looseObject({ advertiseAddress: optionalText }).nullish() }).nullish(),
  edge: z
    .looseObject({
      api: z.looseObject({ address: optionalText, sessionTimeout: optionalText }).nullish(),
      enrollment: z.looseObject({ signingCert: signingCert.nullish(), edgeIdentity: duration, edgeRouter: duration }).nullish(),
    })
    .nullish(),
  web: z
    .array(
      z.looseObject({
        identity: identity.nullish(),
        bindPoints: z.array(z.looseObject({ interface: optionalText, address: optionalText, identity: identity.nullish() })).nullish(),
        apis: z.array(z.looseObject({ binding: optionalText })).nullish(),
      }),
    )
    .nullish(),
});
type Config = z.infer<typeof schema>;

/**
 * Reads the configuration of a former controller, and the certificates and keys that it names.
 * @throws StartFailure that names the file, and what is wrong in it
 */
export const readFormerConfig = (file: string): FormerSetup => {
  const config = parsed(file, readText(file, MAX_BYTES));
  const web = webOf(config);
  const bindPoint = web?.bindPoints?.[0];
  const own = bindPoint?.identity ?? web?.identity ?? config.identity ?? {};
  const signing = config.edge?.enrollment?.signingCert;
  const read = (value: string) => textNamed(value, file);
  const readAll = (values: readonly (string | null | undefined)[]) => values.flatMap((value) => (value ? [read(value)] : []));
  const roots = readAll([config.identity?.ca, own.ca, signing?.ca]);
  const server = serverOf(own, read);
  // Routers know the controller by this identity, whose names and root may be others than those of the API.
  const routerServer = config.identity ? serverOf(config.identity, read) : undefined;
  const others = routerServer && server && routerServer.cert !== server.cert ? [routerServer] : [];
  const listener = listenerOf(bindPoint?.interface);
  const routers = listenerOf(config.ctrl?.listener);
  const address = config.edge?.api?.address ?? bindPoint?.address;
  return {
    database: databaseOf(config, file),
    signer: signing ? { certificates: read(signing.cert), key: read(signing.key) } : undefined,
    roots: roots.length > 0 ? [...new Set(roots)].join('\n') : undefined,
    server,
    alternatives: [...others, ...alternativesOf(own, read)],
    trustDomain: trustDomainIn((routerServer ?? server)?.cert ?? '') ?? config.trustDomain ?? undefined,
    keyFiles: keysIn([own, config.identity ?? {}], signing?.key).map((key) => placeNamed(key, file)),
    address: address ? addressNamed(address, file) : undefined,
    listener,
    routerAddress: config.ctrl?.options?.advertiseAddress ?? undefined,
    controllerId: config.identity?.cert ? commonNameIn(read(config.identity.cert)) : undefined,
    routerListener: routers && routers.port !== listener?.port ? routers : undefined,
    options: optionsOf(config),
  };
};

const parsed = (file: string, content: string): Config => {
  let value: unknown;
  try {
    // To look for keys that occur twice takes as long as their number squared; the former controller takes the last of them, too.
    const given = { maxAliasCount: MAX_ALIASES, uniqueKeys: false };
    value = parse(content, { schema: 'core', prettyErrors: true, logLevel: 'error', merge: true, ...given });
  } catch (error) {
    // The excerpt that follows may have a line of a key.
    const [sentence = ''] = String(error instanceof Error ? error.message : error).split('\n');
    throw new StartFailure(`${file} is not valid YAML: ${sentence.replace(/:$/, '')}`);
  }
  const { data, error } = schema.safeParse(value);
  if (data) return data;
  const [issue] = error.issues;
  throw new StartFailure(`${file} is not a controller configuration: ${issue?.path.join('.') || 'it'}: ${issue?.message}`);
};

/** The server with the API for clients. */
const webOf = ({ web }: Config) => web?.find(({ apis }) => apis?.some(({ binding }) => binding === 'edge-client')) ?? web?.[0];

const databaseOf = ({ db, cluster, raft }: Config, file: string): string | undefined => {
  const folder = cluster?.dataDir ?? raft?.dataDir;
  if (folder !== undefined) return fileNamed(join(folder, 'ctrl-ha.db'), file);
  return db ? fileNamed(db, file) : undefined;
};

/** The error does not repeat the address, which may hold a password. */
const addressNamed = (address: string, file: string): string => {
  const url = URL.parse(`https://${address.replace(/^https:\/\//, '')}`);
  if (url && url.href === `${url.origin}/`) return url.origin;
  throw new StartFailure(
    `${file} has no valid address for clients: edge.api.address, or the address of a bindPoint, must be as controller.example.org:1280`,
  );
};

type ReadText = (value: string) => string;

const serverOf = ({ cert, key, server_cert, server_key }: Identity, read: ReadText): KeyPair | undefined => {
  const [certificate, privateKey] = [server_cert ?? cert, server_key ?? key];
  return certificate && privateKey ? { cert: read(certificate), key: read(privateKey) } : undefined;
};

/** The private keys that are read, as the configuration names them. */
const keysIn = (identities: readonly Identity[], signer: string | undefined): readonly string[] =>
  [
    signer,
    ...identities.flatMap(({ key, server_key, alt_server_certs }) => [
      server_key ?? key,
      ...(alt_server_certs ?? []).map((one) => one.server_key ?? key),
    ]),
  ].filter((one) => typeof one === 'string');

const alternativesOf = ({ key, alt_server_certs }: Identity, read: ReadText): readonly KeyPair[] =>
  (alt_server_certs ?? []).flatMap((one) => serverOf({ ...one, key }, read) ?? []);

/** `0.0.0.0:1280`, or `tls:0.0.0.0:6262`. */
const listenerOf = (value: string | null | undefined): Listener | undefined => {
  const [, bracketed, plain, port] = /^(?:[a-z]+:)?(?:\[([^\]]+)\]|([^:]*)):(\d+)$/.exec(value ?? '') ?? [];
  return port === undefined ? undefined : { host: bracketed ?? (plain || '0.0.0.0'), port: Number(port) };
};

/** Options of the server with the meaning of settings. */
const optionsOf = ({ edge }: Config): readonly string[] => {
  const minutes = (name: string, value: string | null | undefined) => {
    const count = minutesIn(value);
    return count === undefined ? [] : [name, String(count)];
  };
  return [
    ...minutes('--session-timeout-minutes', edge?.api?.sessionTimeout),
    ...minutes('--enrollment-minutes', edge?.enrollment?.edgeIdentity?.duration),
  ];
};

const UNITS: Readonly<Record<string, number>> = { h: 60, m: 1, s: 1 / 60 };

/** A duration such as `30m` or `1h30m`, in minutes, rounded up; undefined for none. */
const minutesIn = (value: string | null | undefined): number | undefined => {
  if (!value || !/^(?:\d+(?:\.\d+)?[hms])+$/.test(value)) return undefined;
  const parts = [...value.matchAll(/(\d+(?:\.\d+)?)([hms])/g)];
  return Math.max(1, Math.ceil(parts.reduce((sum, [, count, unit = '']) => sum + Number(count) * (UNITS[unit] ?? 0), 0)));
};
