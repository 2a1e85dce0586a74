import { isApiError } from '../../contract/errors/index.ts';
import type { NetworkEvent } from '../../contract/network-events/kinds.ts';
import type { Api } from '../../contract/types/api.ts';
import type { StreamedEvent } from '../../contract/types/network-events.ts';
import { Malformed } from '../../fabric/control-channel/malformed.ts';
import { managementMessages } from '../../fabric/control-channel/messages/management.ts';
import { matcherOf } from '../network-events/subscriptions.ts';

const { togglePipeTraces, streamTraces, streamTracesEvent } = managementMessages;

/** Turns traces of routers on or off, and answers with a report. */
export type ToggleTraces = (body: Uint8Array) => Promise<{ readonly success: boolean; readonly report: string }>;

/** Maximum length of the report. UTF-16 units */
const MAX_REPORT = 1_000_000;

/** Toggles traces with the rights of a caller. */
export const traceToggle =
  ({ networkEvents }: Pick<Api, 'networkEvents'>, controllerId: string): ToggleTraces =>
  async (body) => {
    const lines: string[] = [];
    try {
      const { enable, verbosity, appRegex, pipeRegex } = togglePipeTraces.decode(body);
      const isSelected = matcherFor('app', appRegex);
      matcherFor('pipe', pipeRegex);
      const wanted = verbosity === 'unrecognized' ? 'none' : verbosity;
      const routers = await networkEvents.toggleTraces({ body: { enable, verbosity: wanted, appRegex, pipeRegex } });
      const noteMatch = (id: string, isMatch: boolean) => {
        if (wanted === 'all' || wanted === (isMatch ? 'matches' : 'misses')) lines.push(`App ${id} matched? ${isMatch}\n`);
      };
      noteMatch(controllerId, isSelected(controllerId));
      for (const { routerId, isSelected: isMatch } of routers) noteMatch(routerId, isMatch);
      for (const { routerId, success, report } of routers) lines.push(success ? report : `router ${routerId}: ${report.trimEnd()}\n`);
      return { success: routers.every(({ success }) => success), report: lines.join('').slice(0, MAX_REPORT) };
    } catch (error) {
      if (error instanceof Malformed || error instanceof InvalidPattern) return failure(error.message);
      if (isApiError(error) && error.code === 'UNAUTHORIZED') return failure('traces are turned on and off by administrators');
      throw error;
    }
  };

const failure = (report: string) => ({ success: false, report: `${report}\n` });

class InvalidPattern extends Error {
  override readonly name = 'InvalidPattern';
}

/** @throws InvalidPattern */
const matcherFor = (what: 'app' | 'pipe', text: string): ((id: string) => boolean) => {
  try {
    return matcherOf(`${what}Regex`, text);
  } catch (error) {
    const cause: unknown = isApiError(error) ? error.cause : undefined;
    const reason = typeof cause === 'object' && cause !== null && 'reason' in cause ? String(cause.reason) : String(error);
    throw new InvalidPattern(`Failed to parse ${what} id regex '${text.slice(0, 100)}' with error: ${reason}`);
  }
};

/**
 * Reads a request for traces.
 * @returns a function that converts an event of the stream to a message; undefined for types of messages that the request leaves out
 * @throws Malformed
 */
export const parseTraceRequest = (body: Uint8Array, controllerId: string): ((event: StreamedEvent) => TracedMessage | undefined) => {
  const { isFiltered, filterType, contentTypes } = streamTraces.decode(body);
  const named = new Set(contentTypes);
  return (event) => {
    if (event['namespace'] === 'stream')
      return {
        identity: controllerId,
        channel: 'mgmt',
        replyFor: -1,
        decode: JSON.stringify({ __decoder__: 'traces', __message__: 'Missed', count: event['missed'] }),
      };
    const trace = event as NetworkEvent<'trace'>; // the stream has no other kind
    if (isFiltered && trace.identity !== controllerId && named.has(trace.content_type) !== (filterType === 'include')) return undefined;
    const { timestamp, identity, channel, sequence, length, decode } = trace;
    return {
      timestamp: nanosecondsIn(timestamp),
      identity,
      channel,
      isRx: trace.is_rx,
      contentType: trace.content_type,
      sequence,
      replyFor: trace.reply_for,
      length,
      decode: decode ? JSON.stringify(decode) : '',
    };
  };
};

type TracedMessage = Parameters<typeof streamTracesEvent.encode>[0];

/** Nanoseconds since 1970 of a time in RFC 3339 with up to nine digits after the seconds. */
const nanosecondsIn = (time: string): bigint => {
  const [, seconds = '', fraction = ''] = /^([^.]+)(?:\.(\d+))?/.exec(time) ?? [];
  return BigInt(Date.parse(`${seconds.replace(/Z$/, '')}Z`) || 0) * 1_000_000n + BigInt(fraction.padEnd(9, '0'));
};
