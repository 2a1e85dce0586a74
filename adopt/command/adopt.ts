import type { OptionValues } from '../../server/arguments.ts';
import { defineCommand, type Outcome, storageOption } from '../../server/commands/command.ts';
import { codeOf, describeFileError, printable, StartFailure } from '../../server/failure.ts';
import { secretKeyFile, secretKeyOfNetwork } from '../../server/secret-key.ts';
import type { Environment } from '../../server/sources.ts';
import { prepareKept } from '../../server/storage.ts';
import { DEFAULT_STORAGE, dataFolder, hasSecrets, type KeptStorage, parseKeptStorage } from '../../server/storage-option.ts';
import { isLossName } from '../conversion/losses.ts';
import {
  AdoptionRefused,
  type AdoptionReport,
  type AdoptNetworkOptions,
  adoptNetwork,
  FormerDatabaseError,
  LOSSES,
  type LossName,
} from '../index.ts';
import { exposedFiles } from './exposed-files.ts';
import { type CompleteSetup, givenSetup } from './given-setup.ts';
import { refusalText, reportText } from './report-text.ts';
import { startCommand } from './start-command.ts';
import { verifyAdoption } from './verify.ts';

/** The exit status of a plan that could not be carried out. */
const REFUSED = 2;

export const adopt = defineCommand({
  summary: 'take over the network of an OpenZiti controller; its devices and routers keep working unchanged',
  options: {
    config: { value: 'FILE', about: "the controller's configuration in YAML, which names its database, certificates and keys" },
    database: { value: 'FILE', about: 'its database, or a snapshot of it (default: that of --config)' },
    signer: {
      value: 'CERT,KEY',
      about: 'PEM files of the authority that signs certificates, with its chain, and of its key (default: that of --config)',
    },
    roots: { value: 'FILE', about: 'PEM file of the roots that clients trust (default: those of --config)' },
    server: {
      value: 'CERT,KEY',
      about: "PEM files of the server's certificate, with its chain, and of its key (default: that of --config)",
    },
    address: {
      value: 'URL',
      about: 'address under which clients reach it, such as https://controller.example.org:1280 (default: that of --config)',
    },
    'trust-domain': { value: 'NAME', about: 'trust domain of SPIFFE ids (default: that of the server certificate, or of --config)' },
    storage: { ...storageOption, about: `an empty database: ${storageOption.about}` },
    'data-folder': dataFolder,
    'secret-key-file': secretKeyFile,
    verify: {
      value: 'URL',
      about:
        'only compare the adopted network in --storage with the controller at this address: every collection, the services of every identity, policy advice. NODE_EXTRA_CA_CERTS names the file with its roots',
    },
    username: {
      value: 'NAME',
      about: 'administrator to log in as for --verify, with the password in the variable FORMER_PASSWORD (default admin)',
    },
    plan: { about: 'only show what is read, adopted, changed and left out; write nothing. The controller may be running' },
    allow: { value: 'LOSS,LOSS', about: `accept these losses, which --plan explains: ${Object.keys(LOSSES).join(', ')}`, list: 'commas' },
  },
  notes:
    'Stop the controller first. Then start the server with the command that is printed: at the same address, devices and routers keep working. The files of the controller are never modified, so it can be started again. Exit status: 0 if the network was adopted, a plan can be carried out, or nothing differs; 2 if a plan cannot, or something differs; 1 if the command failed.',
  run: async (given, environment) => {
    const former = given.get('verify');
    if (former !== undefined) return verifyAdoption(former, given, environment);
    const setup = givenSetup(given);
    const chosen = parseKeptStorage(given.get('storage'));
    const options = { database: setup.database, authority: setup.authority, allow: lossesIn(given.get('allow')) };
    try {
      return await (given.has('plan') ? plan(options, chosen, setup) : adoptInto(options, chosen, setup, given, environment));
    } catch (error) {
      if (error instanceof AdoptionRefused) return { text: refusalText(error), status: 1 };
      if (error instanceof FormerDatabaseError) throw new StartFailure(`${setup.database}: ${error.message}`);
      throw isSystemError(error) ? new StartFailure(`cannot read ${setup.database}: ${describeFileError(error)}`) : error;
    }
  },
});

type Options = Pick<AdoptNetworkOptions, 'database' | 'authority' | 'allow'>;

/** The report, with warnings about the files. */
const textOf = async (report: AdoptionReport, { keyFiles = [] }: CompleteSetup): Promise<string> =>
  [reportText(report), ...(await exposedFiles(keyFiles)).map((warning) => `WARNING: ${printable(warning)}`)].join('\n');

const plan = async (options: Options, chosen: KeptStorage, setup: CompleteSetup): Promise<Outcome> => {
  const report = await adoptNetwork({ ...options, ...(await existing(chosen)), plan: true });
  return { text: await textOf(report, setup), status: report.refusals.length === 0 ? 0 : REFUSED };
};

/** The storage, if its database has tables already. */
const existing = async (chosen: KeptStorage) => {
  try {
    const { adapter } = await prepareKept(chosen, { readOnly: true });
    return (await adapter.plan()).version === 0 ? {} : { storage: adapter, secretKey: UNUSED_KEY };
  } catch (error) {
    if (error instanceof StartFailure) return {};
    throw error;
  }
};

/** A plan seals nothing that is kept. */
const UNUSED_KEY = Buffer.alloc(32).toString('base64');

const adoptInto = async (
  options: Options,
  chosen: KeptStorage,
  setup: CompleteSetup,
  given: OptionValues<'storage' | 'data-folder' | 'secret-key-file'>,
  environment: Environment,
): Promise<string> => {
  const { adapter, name } = await prepareKept(chosen);
  const { key = [] } = await secretKeyOfNetwork(given, environment, chosen, adapter);
  const [secretKey] = key;
  const report = await adoptNetwork({ ...options, storage: adapter, secretKey });
  const isSecret = hasSecrets(chosen);
  const start = startCommand(setup, {
    storage: isSecret ? undefined : (given.get('storage') ?? DEFAULT_STORAGE),
    dataFolder: given.get('data-folder'),
    secretKeyFile: given.get('secret-key-file'),
    hasNumericTags: report.hasNumericTags,
  });
  const how = isSecret ? ', with the value of --storage, which contains a secret, in the variable OVERLAY_STORAGE' : '';
  return `${await textOf(report, setup)}\nadopted into ${name}, revision ${report.revision}; now start the server${how}:\n${printable(start)}`;
};

/** @throws StartFailure */
const lossesIn = (text: string | undefined): readonly LossName[] => {
  const names = (text ?? '').split(',').filter((name) => name !== '');
  const unknown = names.find((name) => !isLossName(name));
  if (unknown !== undefined) throw new StartFailure(`--allow takes ${Object.keys(LOSSES).join(', ')}, got '${unknown}'`);
  return names.filter(isLossName);
};

/** Of the file system, or of Node for a path that none can have. */
const isSystemError = (error: unknown): boolean =>
  error instanceof Error && ('syscall' in error || codeOf(error) === 'ERR_INVALID_ARG_VALUE');
