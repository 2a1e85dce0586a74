import { ANSWER_LIMITS, type AnswerLimits, checkedOptions, countUnread, createUnreadAnswers, Overloaded } from '../../src/adapter-kit.ts';
import { ADMISSION_LIMITS, type AdmissionLimits, createAdmission, type ServerLoad } from './admission.ts';
import { type Handling, logFailure } from './handling.ts';
import type { Place } from './lane.ts';
import { mountPoint, withoutMount } from './mount.ts';
import { send } from './node-answer.ts';
import { type HostRequest, NodeRequest } from './node-request.ts';
import { createNodeStreams } from './node-stream.ts';
import { createPipelinedQueue } from './pipelined.ts';
import { type RefusalStatus, refusalBody, refusalHeaders } from './refusal.ts';
import { Standings } from './standings.ts';
import { readProxies, type TrustedProxies } from './trusted-proxies.ts';
import { BODY_LIMITS, type BodyLimits, createWaitingBodies } from './waiting-bodies.ts';

/** Options of the Node adapters. */
export interface NodeOptions extends AdmissionLimits, BodyLimits, AnswerLimits {
  /**
   * Path under which the controller is mounted, e.g. `/overlay`. Default: the root. Not needed if the host strips the prefix itself, as
   * Express's `use` does.
   */
  readonly mount?: string;
  /**
   * Proxies that are trusted to forward the address and the certificate of the client; a list if they use different headers. Default: none;
   * the client is then identified by its connection alone.
   */
  readonly trustedProxies?: TrustedProxies | readonly TrustedProxies[];
}

/** The names of the limits in `NodeOptions`, for the validation of options. */
export const REQUEST_LIMITS = { ...ADMISSION_LIMITS, ...BODY_LIMITS, ...ANSWER_LIMITS } as const;

/** True if the client has disconnected. */
const isGone = ({ res }: HostRequest): boolean => ('stream' in res ? res.stream.destroyed : res.destroyed);

/** The part that all Node adapters share. */
export interface NodeBridge {
  /**
   * Answers a request; returns undefined, without touching it, if it is outside the mount path. Settles when the answer has been passed to
   * Node, or a streamed answer has begun; never rejects.
   */
  answer(host: HostRequest): Promise<void> | undefined;
  /** Answers 404 for unmatched requests. */
  refuse(host: HostRequest): void;
  /** The requests in progress, waiting and refused. */
  load(): ServerLoad;
  /** Begins the shutdown: subsequent answers close their connections, and endless answers end. */
  drain(): void;
}

export const nodeBridge = (controller: Handling, options: NodeOptions = {}): NodeBridge => {
  const { mount, trustedProxies, ...limits } = checkedOptions('the HTTP adapter', options, {
    mount: true,
    trustedProxies: true,
    ...REQUEST_LIMITS,
  });
  const prefix = mountPoint(mount);
  const bodies = createWaitingBodies(limits);
  const proxies = trustedProxies && readProxies(trustedProxies);
  /** The address of the client; undefined if it is that of a trusted proxy, which many clients share. */
  const addressOf = ({ req, remoteAddress = req.socket.remoteAddress ?? '' }: HostRequest): string | undefined =>
    proxies?.has(remoteAddress) ? undefined : remoteAddress;
  /** Replaces the address of a trusted proxy with the client address that it forwards. */
  const withClientAddress = (host: HostRequest): HostRequest =>
    proxies ? { ...host, remoteAddress: proxies.addressOf(host.req, host.remoteAddress ?? host.req.socket.remoteAddress ?? '') } : host;
  const streams = createNodeStreams();
  const unread = createUnreadAnswers(limits);
  const pipelined = createPipelinedQueue();
  const admission = createAdmission(limits);
  const standings = new Standings();
  let draining = false;

  // Deferred by a tick, after which a body that arrived with the headers has been read.
  const refuse = (host: HostRequest, status: RefusalStatus, requestId?: string) =>
    process.nextTick(() => {
      const body = refusalBody(status, requestId);
      if (host.res.headersSent) host.res.destroy();
      else send(host, { status, headers: refusalHeaders(status), body }, { streams, last: draining });
    });

  /** Reads the body. Until it is complete, the request takes no place. */
  const receive = async (host: HostRequest, limit: number, place: Place): Promise<Uint8Array> => {
    place.suspend();
    const bytes = await bodies.receive(host.req, limit, addressOf(host));
    if (!place.resume()) throw new Overloaded();
    return bytes;
  };
  const originOf = ({ req, remoteAddress = req.socket.remoteAddress ?? '' }: HostRequest): string => remoteAddress;

  const answer = async (host: HostRequest, target: string): Promise<void> => {
    const pending = pipelined.admit(host);
    if (pending && !(await pending)) return;
    const admitted = admission.enter(standings.of(host.req, () => originOf(host)));
    const place = admitted instanceof Promise ? await admitted : admitted;
    if (!place) return refuse(host, 503);
    if (isGone(host)) return place.leave();
    const request = new NodeRequest(host, target, {
      prefix,
      receive: (incoming, limit) => receive(incoming, limit, place),
      unread,
      standings,
      forwardedCertificates: proxies?.certificatesOf,
    });
    try {
      const result = await controller.handle(request);
      if (result.status === 401) request.refused();
      send(host, countUnread(result, unread, request.remoteAddress), { streams, last: draining });
    } catch (error) {
      logFailure(controller, request, error);
      refuse(host, 500, request.requestId);
    } finally {
      place.leave();
    }
  };

  return {
    answer: (host) => {
      const target = withoutMount(prefix, host.req.url ?? '/');
      return target === undefined ? undefined : answer(withClientAddress(host), target);
    },
    refuse: (host) => refuse(host, 404),
    load: admission.load,
    drain: () => {
      draining = true;
      streams.end();
    },
  };
};
