import type { Entry } from '../call/entry.ts';
import { parametersOf } from '../contract/api/kit/path-template.ts';
import type { Surface } from '../contract/api/surfaces/surface.ts';
import { isStorable } from './query-string.ts';
import { type ServedOperation, servedOperation } from './served-operation.ts';

/** The match of a method and a path. */
export type Route =
  | {
      readonly is: 'found';
      readonly served: ServedOperation;
      readonly surface: Surface;
      readonly parameters: Readonly<Record<string, string>>;
    }
  /** 405: the path is known, but not with this method. `allowed` is in alphabetical order. */
  | { readonly is: 'methodUnknown'; readonly allowed: readonly string[]; readonly surface: Surface }
  /** 404, with the surface whose prefix the path has, if any. */
  | { readonly is: 'pathUnknown'; readonly surface?: Surface }
  /** 400: the path has a malformed escape. */
  | { readonly is: 'malformed' };

export type OperationRouter = (method: string, path: string) => Route;

/**
 * One tree of path segments for each surface: routing takes one look-up per segment, for any number of operations.
 * A literal segment takes precedence over a parameter, unless only the path with the parameter has the method.
 * @param offered surfaces to serve, default all surfaces of the operations; paths of others are unknown
 * @throws Error if two operations claim the same method and path, or two surfaces the same prefix.
 */
export const createRouter = (entries: readonly Entry[], offered: readonly Surface[] = surfacesOf(entries)): OperationRouter => {
  const mounts = offered.flatMap((surface) => mountsOf(surface, treeOf(surface, entries)));
  const duplicate = mounts.find(({ at }, i) => mounts.findIndex((other) => other.at === at) < i);
  if (duplicate) throw new Error(`two surfaces claim the prefix ${duplicate.at}, one of them ${duplicate.surface.name}`);
  // The longest matching prefix wins.
  mounts.sort((a, b) => b.prefix.length - a.prefix.length);

  return (method, path) => {
    const segments = pathSegments(path);
    if (segments === 'malformed') return MALFORMED;
    const mount = segments && mountOf(mounts, segments);
    if (!mount) return PATH_UNKNOWN;
    const { surface, root, prefix } = mount;
    const values: string[] = [];
    const served = find(root, segments, prefix.length, method, values);
    if (served) return { is: 'found', served, surface, parameters: named(served.entry.operation.parameters, values) };
    const allowed = new Set<string>();
    collectMethods(root, segments, prefix.length, allowed);
    return allowed.size > 0 ? { is: 'methodUnknown', allowed: [...allowed].sort(), surface } : { is: 'pathUnknown', surface };
  };
};

/** All surfaces of the operations, without duplicates. */
export const surfacesOf = (entries: readonly Entry[]): readonly Surface[] => [
  ...new Set(entries.flatMap(({ operation }) => operation.surfaces)),
];

/** A mount point of a surface. */
interface Mount {
  readonly surface: Surface;
  readonly at: string;
  readonly prefix: readonly string[];
  readonly root: Node;
}

/** The first mount whose prefix the path has. */
const mountOf = (mounts: readonly Mount[], segments: readonly string[]): Mount | undefined => {
  for (const mount of mounts) {
    const { prefix } = mount;
    let i = 0;
    while (i < prefix.length && prefix[i] === segments[i]) i++;
    if (i === prefix.length) return mount;
  }
  return undefined;
};

const mountsOf = (surface: Surface, root: Node): readonly Mount[] =>
  [surface.prefix, ...surface.aliases].map((at) => ({ surface, at, prefix: at.split('/').filter(Boolean), root }));

const treeOf = (surface: Surface, entries: readonly Entry[]): Node => {
  const root = newNode();
  for (const entry of entries) if (entry.operation.surfaces.includes(surface)) insert(root, surface, entry);
  return root;
};

const MALFORMED: Route = Object.freeze({ is: 'malformed' });
const PATH_UNKNOWN: Route = Object.freeze({ is: 'pathUnknown' });

interface Node {
  readonly literals: Map<string, Node>;
  readonly methods: Map<string, ServedOperation>;
  parameter: Node | undefined;
}

const newNode = (): Node => ({ literals: new Map(), methods: new Map(), parameter: undefined });

const insert = (root: Node, surface: Surface, entry: Entry): void => {
  const { method, path, operationId } = entry.operation;
  let node = root;
  for (const segment of path.split('/')) {
    if (segment === '') continue;
    if (parametersOf(segment).length > 0) {
      node = node.parameter ??= newNode();
    } else {
      const known = node.literals.get(segment);
      if (known) node = known;
      else node.literals.set(segment, (node = newNode()));
    }
  }
  const other = node.methods.get(method);
  if (other)
    throw new Error(
      `${method} ${path} of the ${surface.name} API is declared twice: ${other.entry.operation.operationId} and ${operationId}`,
    );
  node.methods.set(method, servedOperation(entry, surface));
};

const find = (node: Node, segments: readonly string[], at: number, method: string, values: string[]): ServedOperation | undefined => {
  if (at === segments.length) return node.methods.get(method);
  // `at` is below the length
  const segment = segments[at] as string;
  const literal = node.literals.get(segment);
  const found = literal && find(literal, segments, at + 1, method, values);
  if (found || !node.parameter) return found;
  values.push(segment);
  const served = find(node.parameter, segments, at + 1, method, values);
  if (!served) values.pop();
  return served;
};

const collectMethods = (node: Node, segments: readonly string[], at: number, methods: Set<string>): void => {
  if (at === segments.length) {
    for (const method of node.methods.keys()) methods.add(method);
    return;
  }
  const literal = node.literals.get(segments[at] as string); // `at` is below the length
  if (literal) collectMethods(literal, segments, at + 1, methods);
  if (node.parameter) collectMethods(node.parameter, segments, at + 1, methods);
};

const NO_PARAMETERS: Readonly<Record<string, string>> = Object.freeze({});

const named = (names: readonly string[], values: readonly string[]): Readonly<Record<string, string>> => {
  if (names.length === 0) return NO_PARAMETERS;
  const parameters: Record<string, string> = {};
  for (let i = 0; i < names.length; i++) parameters[names[i] as string] = values[i] as string; // as many values as names
  return parameters;
};

/**
 * Splits a request target into path and query. An absolute target (`https://host/path`), which a proxy may send, loses its scheme and host.
 */
export const splitTarget = (target: string): { readonly path: string; readonly query: string } => {
  const local = target.startsWith('/') ? target : withoutAuthority(target);
  const mark = local.indexOf('?');
  return mark < 0 ? { path: local, query: '' } : { path: local.slice(0, mark), query: local.slice(mark + 1) };
};

/**
 * The segments of a path: empty ones and `.` dropped, `..` resolved (never above the root), then each one percent-decoded, so that `%2F`
 * stays inside its segment. `malformed` if an escape is invalid or does not yield UTF-8; undefined if a segment contains a character that
 * no known path can (U+0000).
 */
export const pathSegments = (path: string): readonly string[] | 'malformed' | undefined => {
  const segments: string[] = [];
  for (let from = 0; from <= path.length; ) {
    let to = path.indexOf('/', from);
    if (to < 0) to = path.length;
    const segment = path.slice(from, to);
    if (segment === '..') segments.pop();
    else if (segment !== '' && segment !== '.') segments.push(segment);
    from = to + 1;
  }
  if (PLAIN.test(path)) return segments;
  if (path.includes('%')) {
    try {
      for (let i = 0; i < segments.length; i++) segments[i] = decodeURIComponent(segments[i] as string); // i is below the length
    } catch {
      return 'malformed';
    }
  }
  return segments.every(isStorable) ? segments : undefined;
};

/** Visible ASCII without escapes, like most paths: nothing to decode, and every store can hold it. */
const PLAIN = /^[!-$&-~]*$/;

const withoutAuthority = (target: string): string => {
  const scheme = target.indexOf('://');
  if (scheme < 0) return `/${target}`;
  const end = target.slice(scheme + 3).search(/[/?]/);
  const local = end < 0 ? '' : target.slice(scheme + 3 + end);
  return local.startsWith('/') ? local : `/${local}`;
};
