import { join, resolve } from 'node:path';
import type { FirstAdministrator, Logger, ManagementController } from '../src/index.ts';
import { sentenceOf } from './failure.ts';
import { makePrivateFolder, writeAtomically } from './files.ts';
import type { Tls } from './tls.ts';

export interface Greeting {
  /** E.g. `https://0.0.0.0:1280`. */
  readonly listening: string;
  /** The URL for clients on this machine, e.g. `https://127.0.0.1:1280`. */
  readonly localUrl: string;
  /** The URL that is advertised to clients. */
  readonly advertised: string;
  /** The address advertised to routers, e.g. `tls:127.0.0.1:6262`, if it is configured or routers have a separate port. */
  readonly routers?: string | undefined;
  readonly storage: string;
  readonly certificate: Pick<Tls, 'trust' | 'warning'> | undefined;
  /** The file of the secret key, if the server created it. */
  readonly keyFile: string | undefined;
  /** The URL of the metrics, if they are served. */
  readonly metricsUrl: string | undefined;
  /** The URL of the console, if it is served. */
  readonly consoleUrl: string | undefined;
  /** The URLs of the single-page applications. */
  readonly applications: readonly string[];
  /** The options that describe the first administrator, as spelled in their sources. */
  readonly administratorOptions: readonly string[];
  /** True if the operator chose the administrator's password, so that it is not printed. */
  readonly isPasswordGiven: boolean;
}

/** The text printed at start: the addresses, and how to log in. It contains the password only if this start generated it. */
export const greetingText = async (controller: ManagementController, greeting: Greeting): Promise<string> => {
  const { listening, localUrl, advertised, certificate, keyFile, isPasswordGiven } = greeting;
  const { trust, warning } = certificate ?? {};
  const username = await administratorNameOf(controller);
  const newPassword = isPasswordGiven ? undefined : controller.firstAdministrator?.password;
  const ignored = ignoredOptions(controller, greeting);
  const rows: readonly (readonly [label: string, value: string | undefined, note?: string])[] = [
    ['console', greeting.consoleUrl, 'open it in a browser'],
    ['address', `${localUrl}/edge/management/v1`],
    ['advertised as', advertised === localUrl ? undefined : advertised],
    ['routers', greeting.routers],
    ['storage', greeting.storage],
    [trust?.label ?? '', trust?.file],
    ['secret key', keyFile && resolve(keyFile), 'required to open the network in the database'],
    ['metrics', greeting.metricsUrl],
    ...greeting.applications.map((url) => ['application', url] as const),
    ['administrator', username],
    ['password', newPassword, 'printed only once: the network stores a hash of it'],
  ];
  const lines = [
    ...rows.flatMap(([label, value, note]) => (value ? [`${label.padEnd(18)}${value}${note ? `   (${note})` : ''}`] : [])),
    ...(warning ? [`warning: ${warning}`] : []),
    ...(ignored ? [ignored] : []),
    '',
    newPassword ? 'To log in, run' : "To log in, set the variable ADMIN_PASSWORD to the administrator's password, and run",
    `  ${loginCommand(localUrl, trust?.file, username, newPassword)}`,
    '',
    `listening on ${listening}`,
  ];
  return lines.join('\n');
};

/** Logs the greeting. A new password is written to a file instead, because logs are stored, and others can read them. */
export const logGreeting = async (
  messages: Logger,
  controller: ManagementController,
  greeting: Greeting,
  folder: string,
): Promise<void> => {
  const { listening, localUrl, advertised, routers, storage, certificate, keyFile, metricsUrl, consoleUrl, applications } = greeting;
  const administrator = await administratorNameOf(controller);
  const ignored = ignoredOptions(controller, greeting);
  if (certificate?.warning) messages.warn(certificate.warning);
  if (ignored) messages.warn(ignored);
  const { firstAdministrator } = controller;
  if (firstAdministrator && !greeting.isPasswordGiven) await writeFirstPassword(messages, firstAdministrator, folder);
  messages.info('listening', {
    listening,
    api: `${localUrl}/edge/management/v1`,
    advertised,
    ...(routers === undefined ? {} : { routers }),
    ...(metricsUrl === undefined ? {} : { metrics: metricsUrl }),
    ...(consoleUrl === undefined ? {} : { console: consoleUrl }),
    applications,
    storage,
    ...(certificate ? { certificate: certificate.trust.file } : {}),
    ...(keyFile === undefined ? {} : { keyFile: resolve(keyFile) }),
    administrator,
  });
};

const writeFirstPassword = async (messages: Logger, { username, password }: FirstAdministrator, folder: string): Promise<void> => {
  const file = resolve(join(folder, 'first-password'));
  try {
    await makePrivateFolder(folder);
    await writeAtomically(file, `${password}\n`, 0o600);
    messages.info('the first password of the administrator was written to a file that only its owner can read: delete it after reading', {
      file,
    });
  } catch (error) {
    // The network stores only a hash: a password that is not shown now is lost.
    messages.warn(`could not write the first password to a file, so it is printed to standard error: ${sentenceOf(error)}`);
    console.error(`password of ${username}: ${password}`);
  }
};

/** A warning about options that describe the first administrator of a network that already has one. */
const ignoredOptions = (
  { firstAdministrator }: ManagementController,
  { administratorOptions }: Pick<Greeting, 'administratorOptions'>,
): string | undefined => {
  if (firstAdministrator || administratorOptions.length === 0) return undefined;
  const verb = administratorOptions.length > 1 ? 'have' : 'has';
  return `The network already has its administrator: ${administratorOptions.join(' and ')} ${verb} no effect.`;
};

/** A login command for a POSIX shell. A password that must not be shown comes from a shell variable. */
const loginCommand = (url: string, trust: string | undefined, username: string, password: string | undefined): string => {
  const body =
    password === undefined
      ? `${quoted(`{"username":${JSON.stringify(username)},"password":"`)}"$ADMIN_PASSWORD"'"}'`
      : quoted(JSON.stringify({ username, password }));
  const words = [
    'curl',
    ...(trust ? ['--cacert', quoted(trust)] : []),
    `-H 'content-type: application/json'`,
    '-d',
    body,
    quoted(`${url}/edge/management/v1/authenticate?method=password`),
  ];
  return words.join(' ');
};

const quoted = (text: string): string => (/^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`);

const administratorNameOf = async ({ firstAdministrator, api }: ManagementController): Promise<string> => {
  if (firstAdministrator) return firstAdministrator.username;
  const { data } = await api.identities.list({ filter: 'isDefaultAdmin = true' });
  return data[0]?.authenticators?.updb?.username ?? 'admin';
};
