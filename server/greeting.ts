import { resolve } from 'node:path';
import type { ManagementController } from '../src/index.ts';
import type { Tls } from './tls.ts';

export interface Greeting {
  /** E.g. `https://127.0.0.1:1280`, as it is reached from this machine. */
  readonly url: string;
  /** The same, as clients are told to reach it. */
  readonly advertised: string;
  readonly storage: string;
  readonly certificate: Pick<Tls, 'trust' | 'warning'> | undefined;
  /** Where the server keeps the secret key, if it does. */
  readonly keyFile: string | undefined;
  /** Where metrics are told, if they are. */
  readonly metrics: string | undefined;
  /** Where applications are served. */
  readonly applications: readonly string[];
  /** Names of the options that say who the first administrator is, as far as they were given. */
  readonly given: readonly string[];
  /** Whether the administrator's password was chosen by whoever starts the server, who then need not be told. */
  readonly isPasswordGiven: boolean;
}

/** What is said at the start: where it is, and how to log in. A password is only in it when it was made just now. */
export const greet = async (
  controller: ManagementController,
  { url, advertised, storage, certificate, keyFile, metrics, applications, given, isPasswordGiven }: Greeting,
): Promise<string> => {
  const { trust, warning } = certificate ?? {};
  const { firstAdministrator } = controller;
  const username = firstAdministrator?.username ?? (await administratorOf(controller));
  const newPassword = isPasswordGiven ? undefined : firstAdministrator?.password;
  const lines = [
    `address           ${url}/edge/management/v1`,
    ...(advertised === url ? [] : [`advertised as     ${advertised}`]),
    `storage           ${storage}`,
    ...(trust ? [`${trust.label.padEnd(18)}${trust.file}`] : []),
    ...(keyFile ? [`secret key        ${resolve(keyFile)}   (without it the network in the database does not open)`] : []),
    ...(metrics ? [`metrics           ${metrics}`] : []),
    ...applications.map((application) => `application       ${application}`),
    `administrator     ${username}`,
    ...(newPassword ? [`password          ${newPassword}   (printed this once: only a hash of it is kept)`] : []),
    ...(warning ? [`warning: ${warning}`] : []),
    ...(!firstAdministrator && given.length > 0
      ? [`The network has its administrator already: ${given.join(' and ')} ${given.length > 1 ? 'have' : 'has'} no effect.`]
      : []),
    '',
    newPassword ? 'Log in with' : "Log in, with the administrator's password in the variable ADMIN_PASSWORD, with",
    `  ${loginCommand(url, trust?.file, username, newPassword)}`,
    '',
  ];
  return lines.join('\n');
};

/** For a POSIX shell. A password that is not to be shown is taken from the shell's variable. */
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

const administratorOf = async ({ identities }: ManagementController): Promise<string> => {
  const { data } = await identities.list({ filter: 'isDefaultAdmin = true' });
  return data[0]?.authenticators?.updb?.username ?? 'admin';
};
