import type { OptionValues } from '../../server/arguments.ts';
import { StartFailure } from '../../server/failure.ts';
import { readText } from '../../server/files.ts';
import { parseAddress } from '../../server/option-values.ts';
import { shownAddress } from '../../src/contract/wire/shown-address.ts';
import type { AdoptedAuthority } from '../index.ts';
import { commonNameIn, trustDomainIn } from './former-certificates.ts';
import { readFormerConfig } from './former-config.ts';
import { type FormerSetup, formerRouterAddress } from './former-setup.ts';

type Name = 'config' | 'database' | 'signer' | 'roots' | 'server' | 'address' | 'trust-domain';

/** A setup with everything that an adoption needs. */
export interface CompleteSetup extends FormerSetup {
  readonly database: string;
  readonly authority: AdoptedAuthority;
}

/**
 * The setup of the former controller: its configuration, in which the command line replaces single parts.
 * @throws StartFailure that names what is missing or cannot be read
 */
export const givenSetup = (given: OptionValues<Name>): CompleteSetup => {
  const file = given.get('config');
  const configured: FormerSetup = file === undefined ? {} : readFormerConfig(file);
  const signer = pairGiven(given, 'signer');
  const server = pairGiven(given, 'server');
  const rootsFile = given.get('roots');
  const address = given.get('address');
  const setup: FormerSetup = {
    ...configured,
    keyFiles: [...(configured.keyFiles ?? []), ...[signer, server].flatMap((pair) => pair?.keyFile ?? [])],
    ...(signer && { signer: { certificates: signer.cert, key: signer.key } }),
    ...(server && {
      server: { cert: server.cert, key: server.key },
      trustDomain: trustDomainIn(server.cert) ?? configured.trustDomain,
      controllerId: configured.controllerId ?? commonNameIn(server.cert),
    }),
    ...(rootsFile !== undefined && { roots: readText(rootsFile) }),
    ...(address !== undefined && { address: parseAddress(address) }),
  };
  const trustDomain = given.get('trust-domain') ?? setup.trustDomain;
  const database = given.get('database') ?? setup.database;
  if (database === undefined) throw missing('the database', 'database');
  if (/^\w[\w+.-]+:\/\//.test(database))
    throw new StartFailure(`the database of the former controller must be a file, got '${shownAddress(database)}'`);
  if (!setup.signer) throw missing('the authority that signs certificates', 'signer');
  // Without another root, the signer is the one that clients trust.
  const roots = setup.roots ?? setup.signer.certificates;
  return {
    ...setup,
    database,
    authority: {
      signer: setup.signer,
      roots,
      trustDomain,
      server: setup.server,
      controller: controllerIn(setup),
      alternatives: setup.alternatives && setup.alternatives.length > 0 ? setup.alternatives : undefined,
    },
  };
};

const controllerIn = (setup: FormerSetup) => {
  const address = formerRouterAddress(setup);
  return setup.controllerId === undefined || address === undefined ? undefined : { id: setup.controllerId, address: `tls:${address}` };
};

const missing = (what: string, option: string): StartFailure =>
  new StartFailure(`adopt needs ${what} of the former controller: give its configuration with --config FILE, or --${option}; see --help`);

const pairGiven = (given: OptionValues<Name>, name: 'signer' | 'server') => {
  const value = given.get(name);
  if (value === undefined) return undefined;
  const [cert, key, ...rest] = value.split(',');
  if (!cert || !key || rest.length > 0)
    throw new StartFailure(`--${name} must be the PEM files of a certificate and its key as CERT,KEY, got '${value}'`);
  return { cert: readText(cert), key: readText(key), keyFile: key };
};
