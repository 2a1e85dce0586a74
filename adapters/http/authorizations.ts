import type { IncomingHttpHeaders } from 'node:http';

/** The headers of a Node request. */
export interface AuthenticatedRequest {
  readonly headers: IncomingHttpHeaders;
  readonly rawHeaders: readonly string[];
}

/** All `Authorization` headers, joined. Node's `headers` contains only the first. */
export const allAuthorizations = (req: AuthenticatedRequest): string | undefined => {
  const first = req.headers.authorization;
  if (first === undefined) return undefined;
  const raw = req.rawHeaders;
  const values: string[] = [];
  for (let i = 0; i < raw.length; i += 2)
    if (raw[i]?.length === 13 && raw[i]?.toLowerCase() === 'authorization') values.push(raw[i + 1] ?? '');
  return values.length > 1 ? values.join(', ') : first;
};
