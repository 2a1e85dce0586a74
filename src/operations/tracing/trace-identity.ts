import type * as z from 'zod';
import type { Call } from '../../call/call.ts';
import { newRow } from '../../call/resources/merge.ts';
import { identity } from '../../contract/api/identities.ts';
import { trace, type traceSpec } from '../../contract/api/traces.ts';
import { invalidField, shownValue } from '../../contract/errors/index.ts';
import { dateField } from '../../query/index.ts';
import type { Entities } from '../../store/entities/entities.ts';

/** Milliseconds per unit. */
const MS: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  '\u00b5s': 1e-3,
  '\u03bcs': 1e-3,
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
};
/** The longest duration that fits in 64 bits as nanoseconds: about 292 years. ms */
const MAX_DURATION = 9_223_372_036_854;

/**
 * Parses a duration such as `1h30m`, `-1.5s` or `0`: an optional sign, then numbers with units, or `0` alone.
 * @returns milliseconds; undefined if the text is not a duration, or longer than 292 years
 */
export const parseDuration = (text: string): number | undefined => {
  const unsigned = text.replace(/^[+-]/, '');
  if (unsigned === '0') return 0;
  const part = /(\d+(?:\.\d*)?|\.\d+)(ns|us|\u00b5s|\u03bcs|ms|s|m|h)/y;
  let sum = 0;
  let end = 0;
  for (let match = part.exec(unsigned); match; match = part.exec(unsigned)) {
    sum += Number(match[1]) * (MS[match[2] ?? ''] ?? Number.NaN);
    end = part.lastIndex;
  }
  if (end === 0 || end < unsigned.length || sum > MAX_DURATION) return undefined;
  return text.startsWith('-') ? -sum : sum;
};

/** Go's zero time, which clients expect. */
const NEVER = '0001-01-01T00:00:00.000Z';
const CHANNELS = ['EstablishPath', 'SelectPath'];
/** Maximum number of expired traces that one request deletes. */
const MAX_EXPIRED = 100;

/** Starts tracing the data flows of an identity, replacing any trace in progress, or stops tracing them. */
export const traceIdentity = (call: Call, { id, body }: { readonly id: string; readonly body: z.output<typeof traceSpec> }) =>
  call.write(async (entities) => {
    await entities.require(identity, id);
    const until = body.enabled ? traceEnd(call, body.duration ?? '') : NEVER;
    await deleteExpired(entities, call.now());
    const existing = await entities.get(trace, id);
    if (!body.enabled) {
      if (existing) await entities.remove(trace, existing);
      return { enabled: false, until };
    }
    const { channels = [] } = body;
    const traced = {
      traceId: body.traceId || call.core.platform.random.uuid(),
      until,
      channels: channels.length === 0 || channels.includes('all') ? CHANNELS : channels,
    };
    if (existing) await entities.update(trace, existing, traced);
    else await entities.insert(trace, newRow(trace, {}, { id, identityId: id, ...traced }));
    return { enabled: true, traceId: traced.traceId, until };
  });

const traceEnd = (call: Call, duration: string): string => {
  const length = parseDuration(duration);
  if (length === undefined)
    throw invalidField('duration', `duration must be like 1h30m or 90s, got '${shownValue('duration', duration)}'`, duration);
  return new Date(Date.parse(call.now()) + Math.trunc(length)).toISOString();
};

const deleteExpired = async (entities: Entities, now: string): Promise<void> => {
  const where = { op: 'compare', field: dateField('until'), is: '<=', value: now } as const;
  for (const row of await entities.list(trace, { where, limit: MAX_EXPIRED })) await entities.remove(trace, row);
};
