/**
 * The route is the fragment of the address: `#/entities/identities/abc?filter=...`. It works below any path, and the server never sees it.
 */
import { useLayoutEffect, useState } from 'preact/hooks';

export interface Route {
  readonly segments: readonly string[];
  readonly query: Readonly<Record<string, string>>;
}

const routeOf = (hash: string): Route => {
  const [path = '', query = ''] = hash.replace(/^#\/?/, '').split('?', 2);
  return { segments: path.split('/').filter(Boolean).map(decodeSegment), query: Object.fromEntries(new URLSearchParams(query)) };
};

const decodeSegment = (segment: string): string => {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
};

/** The address of a route. Parameters without a value are omitted. */
export const hrefOf = (segments: readonly string[], query: Readonly<Record<string, string | undefined>> = {}): string => {
  const parameters = Object.entries(query).filter((entry): entry is [string, string] => entry[1] !== undefined && entry[1] !== '');
  const search = parameters.length === 0 ? '' : `?${new URLSearchParams(parameters)}`;
  return `#/${segments.map(encodeURIComponent).join('/')}${search}`;
};

/** Navigates to an address. With `isReplacing`, replaces the current entry of the browser's history. */
export const goTo = (href: string, { isReplacing = false } = {}): void => (isReplacing ? location.replace(href) : location.assign(href));

export const useRoute = (): Route => {
  const [hash, setHash] = useState(location.hash);
  useLayoutEffect(() => {
    const update = () => setHash(location.hash);
    addEventListener('hashchange', update);
    return () => removeEventListener('hashchange', update);
  }, []);
  return routeOf(hash);
};
