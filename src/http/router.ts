import type { Api } from '../api/kit/operation.ts';
import type { Entry } from '../call/call.ts';
import { pathSegments } from './path.ts';

/** What a method and a path lead to. */
export type Route =
  | { readonly is: 'found'; readonly entry: Entry; readonly api: Api; readonly parameters: Readonly<Record<string, string>> }
  /** 405: the path is known, the method is not. `allowed` in alphabetical order. */
  | { readonly is: 'methodUnknown'; readonly allowed: readonly string[] }
  /** 404 */
  | { readonly is: 'pathUnknown' }
  /** 400: an escape of the path is no escape. */
  | { readonly is: 'malformed' };

export type Router = (method: string, path: string) => Route;

/**
 * One tree of path segments for each API; an address costs a look-up a segment, however many operations there are.
 * A literal segment wins over a parameter, unless only the parameter's path has the method.
 * @param apis those that are offered, default all; paths of others are unknown
 * @throws Error when two operations claim the same method and path.
 */
export const createRouter = (entries: readonly Entry[], apis: readonly Api[] = ALL_APIS): Router => {
  const roots: Readonly<Record<Api, Node>> = { management: newNode(), client: newNode(), extensions: newNode() };
  for (const entry of entries) for (const api of entry.operation.apis) if (apis.includes(api)) insert(roots[api], api, entry);

  return (method, path) => {
    const segments = pathSegments(path);
    if (segments === 'malformed') return MALFORMED;
    const place = segments && placeOf(segments);
    if (!place) return PATH_UNKNOWN;
    const values: string[] = [];
    const leaf = find(roots[place.api], segments, place.from, method, values);
    if (leaf) return { is: 'found', entry: leaf.entry, api: place.api, parameters: named(leaf.names, values) };
    const allowed = new Set<string>();
    collect(roots[place.api], segments, place.from, allowed);
    return allowed.size > 0 ? { is: 'methodUnknown', allowed: [...allowed].sort() } : PATH_UNKNOWN;
  };
};

const ALL_APIS: readonly Api[] = ['management', 'client', 'extensions'];
const MALFORMED: Route = Object.freeze({ is: 'malformed' });
const PATH_UNKNOWN: Route = Object.freeze({ is: 'pathUnknown' });

interface Leaf {
  readonly entry: Entry;
  /** Names of the path's parameters, from left to right. */
  readonly names: readonly string[];
}

interface Node {
  readonly literals: Map<string, Node>;
  readonly methods: Map<string, Leaf>;
  parameter: Node | undefined;
}

const newNode = (): Node => ({ literals: new Map(), methods: new Map(), parameter: undefined });

const insert = (root: Node, api: Api, entry: Entry): void => {
  const { method, path, operationId } = entry.operation;
  const names: string[] = [];
  let node = root;
  for (const segment of path.split('/')) {
    if (segment === '') continue;
    if (segment.startsWith('{') && segment.endsWith('}')) {
      names.push(segment.slice(1, -1));
      node = node.parameter ??= newNode();
    } else {
      const known = node.literals.get(segment);
      if (known) node = known;
      else node.literals.set(segment, (node = newNode()));
    }
  }
  const other = node.methods.get(method);
  if (other)
    throw new Error(`${method} ${path} of the ${api} API is declared twice: ${other.entry.operation.operationId} and ${operationId}`);
  node.methods.set(method, { entry, names });
};

/** Which API answers, and at which segment its own paths begin. Whatever has no prefix of its own is the client API's. */
const placeOf = (segments: readonly string[]): { readonly api: Api; readonly from: number } | undefined => {
  switch (segments[0]) {
    case 'edge':
      if (segments[1] === 'v1') return LEGACY;
      if (segments[1] === 'client' && segments[2] === 'v1') return CLIENT;
      if (segments[1] !== 'management') return undefined;
      if (segments[2] === 'v1') return MANAGEMENT;
      return segments[2] === 'extensions' && segments[3] === 'v1' ? EXTENSIONS : undefined;
    case 'fabric':
    case 'oidc':
      return undefined;
    default:
      return BARE;
  }
};

const MANAGEMENT = { api: 'management', from: 3 } as const;
const CLIENT = { api: 'client', from: 3 } as const;
const EXTENSIONS = { api: 'extensions', from: 4 } as const;
const LEGACY = { api: 'client', from: 2 } as const;
const BARE = { api: 'client', from: 0 } as const;

const find = (node: Node, segments: readonly string[], at: number, method: string, values: string[]): Leaf | undefined => {
  if (at === segments.length) return node.methods.get(method);
  // `at` is below the length
  const segment = segments[at] as string;
  const literal = node.literals.get(segment);
  const found = literal && find(literal, segments, at + 1, method, values);
  if (found || !node.parameter) return found;
  values.push(segment);
  const below = find(node.parameter, segments, at + 1, method, values);
  if (!below) values.pop();
  return below;
};

const collect = (node: Node, segments: readonly string[], at: number, methods: Set<string>): void => {
  if (at === segments.length) {
    for (const method of node.methods.keys()) methods.add(method);
    return;
  }
  const literal = node.literals.get(segments[at] as string); // `at` is below the length
  if (literal) collect(literal, segments, at + 1, methods);
  if (node.parameter) collect(node.parameter, segments, at + 1, methods);
};

const NO_PARAMETERS: Readonly<Record<string, string>> = Object.freeze({});

const named = (names: readonly string[], values: readonly string[]): Readonly<Record<string, string>> => {
  if (names.length === 0) return NO_PARAMETERS;
  const parameters: Record<string, string> = {};
  for (let i = 0; i < names.length; i++) parameters[names[i] as string] = values[i] as string; // as many values as names
  return parameters;
};
