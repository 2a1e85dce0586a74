/** The lines that start a router, for a shell. They contain only texts that need no quoting. */
import { isObject } from './json-schema.ts';
import { texts } from './texts.ts';

export type Platform = keyof typeof LINES;

/** The names and addresses in the lines. */
export interface RouterFacts {
  /** The name of files, and of the container. */
  readonly file: string;
  /** Host and port at which routers connect to the controller. */
  readonly controller: readonly [host: string, port: string];
  /** The address at which the router is reached. */
  readonly address: string;
  readonly isTunnelerEnabled: boolean;
}

const EDGE_PORT = '3022';

const linux = ({ file, controller: [host, port], address, isTunnelerEnabled }: RouterFacts): string =>
  `${texts.enrollment.tokenIn(file)}
export ZITI_CTRL_ADVERTISED_ADDRESS=${host} ZITI_CTRL_ADVERTISED_PORT=${port}
export ZITI_ROUTER_ADVERTISED_ADDRESS=${address} ZITI_ROUTER_PORT=${EDGE_PORT}
ziti create config router edge --routerName ${file} --tunnelerMode ${modeOf(isTunnelerEnabled)} --output ${file}.yml
ziti router enroll ${file}.yml --jwt ${file}.jwt
ziti router run ${file}.yml`;

const container = ({ file, controller: [host, port], address, isTunnelerEnabled }: RouterFacts): string =>
  `${texts.enrollment.tokenIn(file)}
docker run --detach --name ${file} --restart unless-stopped \\
  --publish ${EDGE_PORT}:${EDGE_PORT} --volume ${file}:/ziti-router \\
  --env ZITI_BOOTSTRAP=true --env ZITI_BOOTSTRAP_CONFIG=true --env ZITI_BOOTSTRAP_ENROLLMENT=true \\
  --env ZITI_ENROLL_TOKEN="$(cat ${file}.jwt)" \\
  --env ZITI_CTRL_ADVERTISED_ADDRESS=${host} --env ZITI_CTRL_ADVERTISED_PORT=${port} \\
  --env ZITI_ROUTER_ADVERTISED_ADDRESS=${address} --env ZITI_ROUTER_PORT=${EDGE_PORT} \\
  --env ZITI_ROUTER_MODE=${modeOf(isTunnelerEnabled)} \\
  openziti/ziti-router run config.yml`;

const kubernetes = ({ file, controller: [host, port], address, isTunnelerEnabled }: RouterFacts): string =>
  `${texts.enrollment.tokenIn(file)}
helm repo add openziti https://openziti.github.io/helm-charts/
helm upgrade --install ${releaseOf(file)} openziti/ziti-router \\
  --set-file enrollmentJwt=${file}.jwt \\
  --set ctrl.endpoint=${host}:${port} \\
  --set edge.advertisedHost=${address} \\
  --set tunnel.mode=${modeOf(isTunnelerEnabled)}`;

const LINES = { linux, container, kubernetes } as const;

export const PLATFORMS = Object.keys(LINES) as readonly Platform[]; // the keys of the table

export const routerLines = (platform: Platform, facts: RouterFacts): string => LINES[platform](facts);

const modeOf = (isTunnelerEnabled: boolean): string => (isTunnelerEnabled ? 'host' : 'none');

/** A name of a release: lower-case letters, digits and hyphens. */
const releaseOf = (file: string): string =>
  file
    .toLowerCase()
    .replaceAll(/[^a-z0-9-]+/g, '-')
    .replaceAll(/^-+|-+$/g, '')
    .slice(0, 53) || 'router';

/** Placeholders for a text that is missing, or that a shell would read in another way. */
const PLACEHOLDER = { host: 'CONTROLLER_ADDRESS', port: '1280', address: 'ROUTER_ADDRESS' };
const PLAIN = /^(\[[0-9a-fA-F:]+\]|[A-Za-z0-9][A-Za-z0-9.-]*)$/;

export const plainAddress = (text: string): string => (PLAIN.test(text.trim()) ? text.trim() : PLACEHOLDER.address);

/** The address of the controller in an enrollment token, for routers. */
export const controllerIn = (jwt: string): RouterFacts['controller'] => {
  const { iss, ctrls } = claimsIn(jwt);
  const address = Array.isArray(ctrls) && typeof ctrls[0] === 'string' ? ctrls[0].replace(/^tls:(\/\/)?/, 'https://') : String(iss);
  const { hostname = '', port = '' } = URL.parse(address) ?? {};
  return PLAIN.test(hostname) ? [hostname, port || '443'] : [PLACEHOLDER.host, PLACEHOLDER.port];
};

/** The claims of a JWT; empty for any other text. */
const claimsIn = (jwt: string): Readonly<Record<string, unknown>> => {
  try {
    const [, payload = ''] = jwt.split('.');
    const claims: unknown = JSON.parse(atob(payload.replaceAll('-', '+').replaceAll('_', '/')));
    return isObject(claims) ? claims : {};
  } catch {
    return {};
  }
};
