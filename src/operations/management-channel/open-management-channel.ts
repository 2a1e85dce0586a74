import type { Core } from '../../call/core.ts';
import { isApiError } from '../../contract/errors/index.ts';
import type { Api } from '../../contract/types/api.ts';
import { bearerApiToken } from '../../contract/wire/api-token.ts';
import { type ManagementChannel, type MessageSocket, serveManagementChannel } from './channel.ts';
import { traceToggle } from './traces.ts';
import { createValidations } from './validations.ts';

/** The request with which a client opens a management channel. */
export interface ChannelRequest {
  /** The value of a header, by its name in lower case. */
  header(name: string): string | undefined;
  /** In DER, leaf first. */
  readonly peerCertificates: readonly Uint8Array[];
  readonly remoteAddress: string;
}

/** An open channel, or the HTTP status with which the request is refused. */
export type OpenedChannel =
  | {
      readonly status: 101;
      serve(socket: MessageSocket): ManagementChannel;
      /** Must be called once the connection has ended, also if it never became a channel. */
      release(): void;
    }
  | { readonly status: 401 | 429 | 503 };

/** Opens management channels of a controller. */
export type OpenManagementChannel = (request: ChannelRequest) => Promise<OpenedChannel>;

/** The part of a controller that channels need: the operations with the rights of a session. */
export interface ChannelController {
  as(
    token: string,
    options: { readonly externalToken?: string; readonly peerCertificates: readonly Uint8Array[]; readonly remoteAddress: string },
  ): Api;
}

/** The share of channels that is reserved for administrators, as of other streams. */
const RESERVED_SHARE = 1 / 4;
/** Maximum number of requests whose callers are checked at the same time. */
const MAX_OPENING = 100;

/**
 * Authenticates clients before their connection becomes a channel. Whoever may follow network events may open one; it ends with that right.
 */
export const createManagementChannels = (
  controller: ChannelController,
  core: Pick<Core, 'settings' | 'controllerId' | 'platform' | 'presence'>,
): OpenManagementChannel => {
  const { settings, controllerId, platform } = core;
  const openByCaller = new Map<string, number>();
  let open = 0;
  let opening = 0;

  const authenticate = async (request: ChannelRequest): Promise<OpenedChannel> => {
    const presented = tokensIn(request);
    if (!presented) return { status: 401 };
    const { peerCertificates, remoteAddress } = request;
    const api = controller.as(presented.token, {
      peerCertificates,
      remoteAddress,
      ...(presented.externalToken !== undefined && { externalToken: presented.externalToken }),
    });
    const ending = new AbortController();
    const right = api.networkEvents.follow({ types: ['cluster'], signal: ending.signal })[Symbol.asyncIterator]();
    // The stream is open once the right has been checked, and ends with it. It has no events.
    await right.next();
    const { id: caller, isAdmin } = await api.currentIdentity.get().catch(() => ({ id: remoteAddress, isAdmin: false }));
    // `return` removes the listeners of a stream that nobody reads further.
    const endRight = () => {
      ending.abort();
      void right.return?.();
    };
    const ownCount = openByCaller.get(caller) ?? 0;
    const places = settings.maxOpenStreams - (isAdmin ? 0 : Math.floor(settings.maxOpenStreams * RESERVED_SHARE));
    if (ownCount >= settings.maxOpenStreamsPerIdentity || open >= places) {
      endRight();
      return { status: ownCount >= settings.maxOpenStreamsPerIdentity ? 429 : 503 };
    }
    open++;
    openByCaller.set(caller, ownCount + 1);
    let isReleased = false;
    const release = () => {
      if (isReleased) return;
      isReleased = true;
      endRight();
      open--;
      const others = (openByCaller.get(caller) ?? 1) - 1;
      if (others > 0) openByCaller.set(caller, others);
      else openByCaller.delete(caller);
    };
    const serve = (socket: MessageSocket): ManagementChannel => {
      const channel = serveManagementChannel(
        { api, controllerId, validations: createValidations(api, core), toggleTraces: traceToggle(api, controllerId) },
        socket,
      );
      const untilLost = async () => {
        while (!(await right.next()).done);
      };
      void untilLost()
        .catch(() => undefined)
        .finally(channel.ended);
      return channel;
    };
    return { status: 101, serve, release };
  };
  return async (request) => {
    if (opening >= MAX_OPENING) return { status: 503 };
    opening++;
    try {
      return await authenticate(request);
    } catch (error) {
      if (isApiError(error) && error.status < 500) return { status: error.status === 429 ? 429 : 401 };
      platform.logger.error('a management channel could not be opened', { error });
      return { status: 503 };
    } finally {
      opening--;
    }
  };
};

/** The header `zt-session`, or a bearer that is a signed token or an API token. Tokens of API sessions are not accepted as bearers. */
const tokensIn = ({ header }: ChannelRequest): { readonly token: string; readonly externalToken?: string } | undefined => {
  const authorization = header('authorization');
  const bearer = /^bearer +([^\s,]+)$/i.exec(authorization ?? '')?.[1];
  const session = header('zt-session');
  if (session) return { token: session, ...(bearer !== undefined && { externalToken: bearer }) };
  if (bearer === undefined) return undefined;
  return bearerApiToken(authorization) !== undefined || bearer.split('.').length === 3 ? { token: bearer } : undefined;
};
