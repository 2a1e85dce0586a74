/** The route is the fragment of the address: `#/entities/identities/abc?filter=...`. It works below any path, and the server never sees it. */
import { useEffect, useState } from 'preact/hooks';

export interface Route {
  readonly segments: readonly string[];
  readonly query: Readonly<Record<string, string>>;
}

const routeOf = (hash: string): Route => {
  const [path = '', query = ''] = hash.replace(/^#\/?/, '').split('?', 2);
  return { segments: path.split('/').filter(Boolean).map(decoded), query: Object.fromEntries(new URLSearchParams(query)) };
};

const decoded = (segment: string): string => {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
};

/** The address of a route. Parameters without a value are left out. */
export const hrefOf = (segments: readonly string[], query: Readonly<Record<string, string | undefined>> = {}): string => {
  const given = Object.entries(query).filter((entry): entry is [string, string] => entry[1] !== undefined && entry[1] !== '');
  const search = given.length === 0 ? '' : `?${new URLSearchParams(given)}`;
  return `#/${segments.map(encodeURIComponent).join('/')}${search}`;
};

/** @param replaces true to replace the current entry of the history */
export const goTo = (href: string, replaces = false): void => (replaces ? location.replace(href) : location.assign(href));

export const useRoute = (): Route => {
  const [hash, setHash] = useState(location.hash);
  useEffect(() => {
    const follow = () => setHash(location.hash);
    addEventListener('hashchange', follow);
    return () => removeEventListener('hashchange', follow);
  }, []);
  return routeOf(hash);
};
