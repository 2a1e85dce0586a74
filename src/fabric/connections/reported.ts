/** Reports of routers: their validation, and the addresses in them. */
import type * as z from 'zod';
import type { Listener } from '../../contract/api/router-hello.ts';
import { carriedId } from '../../contract/api/router-reports.ts';
import { invalidField } from '../../contract/errors/index.ts';

/** @throws ApiError `COULD_NOT_VALIDATE` with the first field at fault */
export const checked = <T>(schema: z.ZodType<T>, report: unknown, name: string): T => {
  const result = schema.safeParse(report, { reportInput: true });
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  throw invalidField([name, ...(issue?.path ?? [])].join('.'), issue?.message ?? 'is invalid', issue?.input);
};

export const isCarriedId = (reported: string): boolean => carriedId.safeParse(reported).success;

/** The first listener of each protocol. */
export const reachedBy = (listeners: readonly Listener[]) => ({
  hostname: listeners[0]?.hostname ?? '',
  supportedProtocols: Object.fromEntries(
    listeners.toReversed().map(({ protocol, hostname, port }) => [protocol, `${protocol}://${inAddress(hostname)}:${port}`]),
  ),
});

const inAddress = (hostname: string): string => (hostname.includes(':') && !hostname.startsWith('[') ? `[${hostname}]` : hostname);
