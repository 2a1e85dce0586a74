import { join, resolve } from 'node:path';
import type { FirstAdministrator, Logger, ManagementController } from '../src/index.ts';
import { sentenceOf } from './failure.ts';
import { privateFolder, writeWhole } from './files.ts';
import type { Tls } from './tls.ts';

export interface Greeting {
  /** E.g. `https://0.0.0.0:1280`. */
  readonly listening: string;
  /** The address for clients on this machine, e.g. `https://127.0.0.1:1280`. */
  readonly url: string;
  /** The address that is advertised to clients. */
  readonly advertised: string;
  /** The address of the port for routers alone, if there is one, as routers get it: `tls:127.0.0.1:6262`. */
  readonly routers?: string | undefined;
  readonly storage: string;
  readonly certificate: Pick<Tls, 'trust' | 'warning'> | undefined;
  /** The file of the secret key, if the server keeps one. */
  readonly keyFile: string | undefined;
  /** The address of the metrics, if they are served. */
  readonly metrics: string | undefined;
  /** The address of the console, if it is served. */
  readonly console: string | undefined;
  /** The addresses of single-page applications. */
  readonly applications: readonly string[];
  /** The given options for the first administrator, as spelled in their sources. */
  readonly given: readonly string[];
  /** True if the operator chose the administrator's password, so that it is not printed. */
  readonly isPasswordGiven: boolean;
}

/** The text printed at start: the address, and how to log in. It contains the password only if this start generated it. */
export const greet = async (
  controller: ManagementController,
  {
    listening,
    url,
    advertised,
    routers,
    storage,
    certificate,
    keyFile,
    metrics,
    console: page,
    applications,
    given,
    isPasswordGiven,
  }: Greeting,
): Promise<string> => {
  const { trust, warning } = certificate ?? {};
  const { firstAdministrator } = controller;
  const username = await administratorOf(controller);
  const newPassword = isPasswordGiven ? undefined : firstAdministrator?.password;
  const lines = [
    ...(page === undefined ? [] : [`console           ${page}   (open it in a browser)`]),
    `address           ${url}/edge/management/v1`,
    ...(advertised === url ? [] : [`advertised as     ${advertised}`]),
    ...(routers === undefined ? [] : [`routers           ${routers}`]),
    `storage           ${storage}`,
    ...(trust ? [`${trust.label.padEnd(18)}${trust.file}`] : []),
    ...(keyFile ? [`secret key        ${resolve(keyFile)}   (without it the network in the database does not open)`] : []),
    ...(metrics ? [`metrics           ${metrics}`] : []),
    ...applications.map((application) => `application       ${application}`),
    `administrator     ${username}`,
    ...(newPassword ? [`password          ${newPassword}   (printed only once: the network keeps a hash of it)`] : []),
    ...(warning ? [`warning: ${warning}`] : []),
    ...(!firstAdministrator && given.length > 0 ? [noEffect(given)] : []),
    '',
    newPassword ? 'Log in with' : "Log in, with the administrator's password in the variable ADMIN_PASSWORD, with",
    `  ${loginCommand(url, trust?.file, username, newPassword)}`,
    '',
    `listening on ${listening}`,
  ];
  return lines.join('\n');
};

/** Logs the greeting. A new password is written to a file instead, because logs are stored, and others can read them. */
export const logGreeting = async (
  messages: Logger,
  controller: ManagementController,
  {
    listening,
    url,
    advertised,
    routers,
    storage,
    certificate,
    keyFile,
    metrics,
    console: page,
    applications,
    given,
    isPasswordGiven,
  }: Greeting,
  folder: string,
): Promise<void> => {
  const { firstAdministrator } = controller;
  const administrator = await administratorOf(controller);
  if (certificate?.warning) messages.warn(certificate.warning);
  if (!firstAdministrator && given.length > 0) messages.warn(noEffect(given));
  if (firstAdministrator && !isPasswordGiven) await keepPassword(messages, firstAdministrator, folder);
  const files = {
    ...(certificate ? { certificate: certificate.trust.file } : {}),
    ...(keyFile === undefined ? {} : { keyFile: resolve(keyFile) }),
  };
  const addresses = {
    listening,
    api: `${url}/edge/management/v1`,
    advertised,
    ...(routers === undefined ? {} : { routers }),
    ...(metrics === undefined ? {} : { metrics }),
    ...(page === undefined ? {} : { console: page }),
    applications,
  };
  messages.info('listening', { ...addresses, storage, ...files, administrator });
};

const keepPassword = async (messages: Logger, { username, password }: FirstAdministrator, folder: string): Promise<void> => {
  const file = resolve(join(folder, 'first-password'));
  try {
    await privateFolder(folder);
    await writeWhole(file, `${password}\n`, 0o600);
    messages.info('the first password of the administrator is in a file for its owner only: read it there, and delete the file', { file });
  } catch (error) {
    // The network stores only a hash: a password that is not shown now is lost.
    messages.warn(`could not write the first password to a file, so it follows on standard error: ${sentenceOf(error)}`);
    console.error(`password of ${username}: ${password}`);
  }
};

const noEffect = (given: readonly string[]): string =>
  `The network already has its administrator: ${given.join(' and ')} ${given.length > 1 ? 'have' : 'has'} no effect.`;

/** A login command for a POSIX shell. A password that must not be shown comes from a shell variable. */
const loginCommand = (url: string, trust: string | undefined, username: string, password: string | undefined): string => {
  const body =
    password === undefined
      ? `${quoted(`{"username":${JSON.stringify(username)},"password":"`)}"$ADMIN_PASSWORD"'"}'`
      : quoted(JSON.stringify({ username, password }));
  const parts = [
    'curl',
    ...(trust ? ['--cacert', quoted(trust)] : []),
    `-H 'content-type: application/json'`,
    '-d',
    body,
    quoted(`${url}/edge/management/v1/authenticate?method=password`),
  ];
  return parts.join(' ');
};

const quoted = (text: string): string => (/^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`);

const administratorOf = async ({ firstAdministrator, api }: ManagementController): Promise<string> => {
  if (firstAdministrator) return firstAdministrator.username;
  const { data } = await api.identities.list({ filter: 'isDefaultAdmin = true' });
  return data[0]?.authenticators?.updb?.username ?? 'admin';
};
