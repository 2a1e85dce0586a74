import { defaultRouterAddress, type FormerSetup, formerRouterAddress } from './former-setup.ts';

/** The arguments of the server besides the former setup. */
export interface ServerStart {
  /** The value of `--storage`; undefined if it has a secret, which must not be shown. */
  readonly storage: string | undefined;
  readonly dataFolder: string | undefined;
  readonly secretKeyFile: string | undefined;
  readonly hasNumericTags: boolean;
}

/** The command that starts the server in place of the former controller, at the same addresses. */
export const startCommand = (setup: FormerSetup, { storage, dataFolder, secretKeyFile, hasNumericTags }: ServerStart): string => {
  const { address, listener, routerListener, controllerId, options = [] } = setup;
  const routers = formerRouterAddress(setup);
  return [
    'npx overlay-controller',
    ...(storage === undefined ? [] : ['--storage', quoted(storage)]),
    ...(dataFolder === undefined ? [] : ['--data-folder', quoted(dataFolder)]),
    ...(secretKeyFile === undefined ? [] : ['--secret-key-file', quoted(secretKeyFile)]),
    ...(address === undefined ? [] : ['--address', quoted(address)]),
    ...(listener === undefined ? portIn(address) : ['--host', quoted(listener.host), '--port', String(listener.port)]),
    ...(routerListener === undefined ? [] : ['--router-port', String(routerListener.port)]),
    ...(routers === undefined || routers === defaultRouterAddress(setup) ? [] : ['--router-address', quoted(routers)]),
    ...(controllerId === undefined ? [] : ['--controller-id', quoted(controllerId)]),
    ...options,
    ...(hasNumericTags ? ['--numeric-tags'] : []),
  ].join(' ');
};

const portIn = (address: string | undefined): readonly string[] =>
  address === undefined ? [] : ['--host', '0.0.0.0', '--port', new URL(address).port || '443'];

/** In quotes for a shell if that is needed. */
const quoted = (text: string): string => (/^[\w./:@%+=,-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);
